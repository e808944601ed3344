#include "leat/datasets/image/codecs/jpeg_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr int kExif = JPEG_APP0 + 1;  // marker of segments with EXIF data

[[noreturn]] void fail(std::string_view problem) {
  throw DataError("JPEG data", problem);
}

void check_signature(std::span<const std::byte> jpeg) {
  constexpr std::array kSignature{std::byte{0xff}, std::byte{0xd8}, std::byte{0xff}};
  if (jpeg.empty()) fail("it is empty");
  if (jpeg.size() >= 3 && std::ranges::equal(jpeg.first(3), kSignature)) return;
  std::string start;
  for (const std::byte byte : jpeg.first(std::min<std::size_t>(jpeg.size(), 4))) {
    start += fmt::format(" {:02x}", static_cast<unsigned>(byte));
  }
  fail(fmt::format("it is no JPEG: {} bytes that start with{}, not with ff d8 ff", jpeg.size(), start));
}

// In coded data ff is followed by 00 or by a marker code, so ff d9 after the header is the end-of-image marker.
bool has_end_marker(std::span<const std::byte> coded) {
  for (std::size_t i = coded.size(); i >= 2; --i) {
    if (coded[i - 1] == std::byte{0xd9} && coded[i - 2] == std::byte{0xff}) return true;
  }
  return false;
}

}  // namespace

// Creates a new decompressor. jpeg_abort_decompress() would keep more than memory: the quantization and Huffman
// tables, and the record of which rows of the previous image were good.
void JpegState::renew(bool allow_missing_data) {
  jpeg_destroy_decompress(&info);
  info.err = install(errors_, allow_missing_data);
  if (!run_guarded(errors_, [this] { jpeg_create_decompress(&info); })) throw Error(errors_.message);
  progress_.manager.progress_monitor = check_scans;
  info.progress = &progress_.manager;
}

void JpegState::check_scans(j_common_ptr common) {
  const auto* info = reinterpret_cast<j_decompress_ptr>(common);
  const auto* progress = reinterpret_cast<Progress*>(info->progress);
  if (info->input_scan_number <= progress->max_scans) return;
  char message[80];
  std::snprintf(message, sizeof message, "it has more scans than the limit of %d", progress->max_scans);
  leave(*reinterpret_cast<JpegErrors*>(info->err), message);
}

void JpegState::fail_with_message() {
  if (errors_.manager.msg_code == JERR_NO_BACKING_STORE) {
    fail(
        fmt::format("decoding it takes more memory than the limit of {} bytes", info.mem->max_memory_to_use));
  }
  fail(errors_.message);
}

void JpegState::read_header(std::span<const std::byte> jpeg, const JpegLimits& limits,
                            bool read_orientation) {
  renew(limits.allow_corrupt);
  check_signature(jpeg);
  progress_.max_scans = limits.max_scans;
  info.mem->max_memory_to_use = static_cast<long>(limits.max_decoder_bytes);
  guard([&] {
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
    jpeg_save_markers(&info, kExif, read_orientation ? 0xffff : 0);
    jpeg_read_header(&info, TRUE);
  });
  check_header(jpeg, limits);
}

Orientation JpegState::orientation() noexcept {
  for (const jpeg_marker_struct* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    if (marker->marker != kExif) continue;
    const auto found = exif_orientation(std::as_bytes(std::span(marker->data, marker->data_length)));
    if (!found) errors_.warnings.add(DecodeWarning::exif);
    if (found && !found->is_upright()) return *found;
  }
  return {};
}

void JpegState::check_header(std::span<const std::byte> jpeg, const JpegLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
  if (pixels > limits.max_pixels) {
    fail(fmt::format("it has {} x {} pixels, more than the limit of {}", info.image_width, info.image_height,
                     limits.max_pixels));
  }
  if (!has_end_marker(jpeg.last(info.src->bytes_in_buffer))) {
    if (!limits.allow_corrupt) fail("it was cut off: there is no end-of-image marker");
    errors_.warnings.add(DecodeWarning::missing_data);
  }
  check_quantization();
}

// Checks the quantization tables of the first scan; libjpeg checks those of later scans. Missing Huffman tables are
// no error: libjpeg-turbo then uses the standard tables (ITU-T T.81, K.3), as needed for frames of Motion-JPEG.
void JpegState::check_quantization() {
  for (int i = 0; i < info.comps_in_scan; ++i) {
    const int table = info.cur_comp_info[i]->quant_tbl_no;
    if (table < 0 || table >= NUM_QUANT_TBLS || info.quant_tbl_ptrs[table] == nullptr) {
      fail(fmt::format("its quantization table {} is missing", table));
    }
  }
}

void JpegState::start(int reduction) noexcept {
  errors_.reads_header = false;
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(reduction);
  jpeg_start_decompress(&info);
}

// Returns false in two cases. First, releases of libjpeg-turbo before 3.0.3 do not upsample cropped planes completely
// if a sampling factor is 4 and the image is reduced. Factors other than 1 and 2 are rare, so all of them are
// excluded. Second, smoothing reads two blocks to each side.
bool JpegState::can_crop() const noexcept {
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& plane = info.comp_info[i];
    if (plane.h_samp_factor > 2 || plane.v_samp_factor > 2) return false;
  }
  return !smooths_blocks();
}

// Whether libjpeg smooths across blocks. It does so for a progressive file that leaves out some of its coefficients
// (smoothing_ok() of libjpeg's jdcoefct.c, which checks the first nine).
bool JpegState::smooths_blocks() const noexcept {
  if (!info.progressive_mode || info.coef_bits == nullptr) return false;
  for (int i = 0; i < info.num_components; ++i) {
    for (int k = 1; k < 10; ++k) {
      if (info.coef_bits[i][k] != 0) return true;
    }
  }
  return false;
}

// A plane of half the width is upsampled from the two nearest of its columns. At the edges of the decoded part one of
// the two would be missing, so two more pixels are decoded on each side. libjpeg moves the left edge further to the
// left if it has to.
int JpegState::crop(PixelRange columns) noexcept {
  const int reach = info.max_h_samp_factor > 1 ? 2 : 0, width = static_cast<int>(info.output_width);
  const int last = std::min(columns.last + reach, width);
  JDIMENSION left = static_cast<JDIMENSION>(std::max(columns.first - reach, 0));
  JDIMENSION size = static_cast<JDIMENSION>(last) - left;
  jpeg_crop_scanline(&info, &left, &size);
  return static_cast<int>(left);
}

void JpegState::skip(int rows) noexcept {
  if (rows > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(rows));
}

void JpegState::read_row(std::uint8_t* row) noexcept {
  JSAMPROW rows[] = {row};
  jpeg_read_scanlines(&info, rows, 1);
}

void JpegState::finish() noexcept {
  if (info.output_scanline == info.output_height) jpeg_finish_decompress(&info);
  jpeg_abort_decompress(&info);  // frees the memory of a large image
}

}  // namespace leat::detail
