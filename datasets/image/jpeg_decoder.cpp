#include "datasets/image/jpeg_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "datasets/image/cmyk.h"
#include "datasets/image/jpeg_errors.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

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

// In coded data ff is followed by 00 or a marker, so ff d9 behind the header is the end of the image.
bool has_end_marker(std::span<const std::byte> coded) {
  for (std::size_t i = coded.size(); i >= 2; --i) {
    if (coded[i - 1] == std::byte{0xd9} && coded[i - 2] == std::byte{0xff}) return true;
  }
  return false;
}

}  // namespace

struct JpegDecoder::State {
  struct Progress {
    jpeg_progress_mgr manager;  // the first member: libjpeg hands out its address
    int max_scans;
  };

  State();
  ~State() { jpeg_destroy_decompress(&info); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static void check_scans(j_common_ptr info);
  [[noreturn]] void fail_with_message();
  void read_header(std::span<const std::byte> jpeg, const JpegLimits& limits);
  void check_header(std::span<const std::byte> jpeg, const JpegLimits& limits);

  // For guarded bodies.
  void start() noexcept;  // takes libjpeg's memory, and reads all scans of a file that has several
  void read_row(std::uint8_t* row) noexcept;
  void decode(PixelRange rows, MutableImageView out) noexcept;

  jpeg_decompress_struct info{};
  detail::JpegErrors errors{};
  Progress progress{};
  std::vector<std::uint8_t> scratch;  // one row: of four components, or one that is passed over
  bool started = false;               // a header was read, its rows were not
};

JpegDecoder::State::State() {
  info.err = detail::install(errors, true);
  if (!detail::run_guarded(errors, [this] { jpeg_create_decompress(&info); })) fail(errors.message);
  progress.manager.progress_monitor = check_scans;
  info.progress = &progress.manager;
}

void JpegDecoder::State::check_scans(j_common_ptr common) {
  const auto* info = reinterpret_cast<j_decompress_ptr>(common);
  const auto* progress = reinterpret_cast<Progress*>(info->progress);
  if (info->input_scan_number <= progress->max_scans) return;
  char message[80];
  std::snprintf(message, sizeof message, "it has more scans than the limit of %d", progress->max_scans);
  detail::leave(*reinterpret_cast<detail::JpegErrors*>(info->err), message);
}

void JpegDecoder::State::fail_with_message() {
  if (errors.manager.msg_code == JERR_NO_BACKING_STORE) {
    fail(
        fmt::format("decoding it takes more memory than the limit of {} bytes", info.mem->max_memory_to_use));
  }
  fail(errors.message);
}

void JpegDecoder::State::read_header(std::span<const std::byte> jpeg, const JpegLimits& limits) {
  const bool read = detail::run_guarded(errors, [&] {
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
    jpeg_read_header(&info, TRUE);
  });
  if (!read) fail_with_message();
  check_header(jpeg, limits);
}

void JpegDecoder::State::check_header(std::span<const std::byte> jpeg, const JpegLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{info.image_width} * info.image_height;
  if (pixels > limits.max_pixels) {
    fail(fmt::format("it has {} x {} pixels, more than the limit of {}", info.image_width, info.image_height,
                     limits.max_pixels));
  }
  if (!limits.allow_corrupt && !has_end_marker(jpeg.last(info.src->bytes_in_buffer))) {
    fail("it was cut off: there is no end-of-image marker");
  }
}

void JpegDecoder::State::start() noexcept {
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
}

void JpegDecoder::State::read_row(std::uint8_t* row) noexcept {
  JSAMPROW rows[] = {row};
  jpeg_read_scanlines(&info, rows, 1);
}

void JpegDecoder::State::decode(PixelRange rows, MutableImageView out) noexcept {
  for (int y = 0; y < rows.first; ++y) read_row(scratch.data());
  for (int y = 0; y < rows.size(); ++y) {
    if (info.out_color_space == JCS_CMYK) {
      read_row(scratch.data());
      inverted_cmyk_to_rgb(scratch.data(), out.row(y), info.output_width);
    } else {
      read_row(out.row(y));
    }
  }
  if (info.output_scanline == info.output_height) jpeg_finish_decompress(&info);
}

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {}
JpegDecoder::~JpegDecoder() = default;
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;

Size JpegDecoder::read_header(std::span<const std::byte> jpeg, const JpegLimits& limits) {
  State& state = *state_;
  jpeg_abort_decompress(&state.info);
  state.started = false;
  check_signature(jpeg);
  detail::install(state.errors, !limits.allow_corrupt);
  state.progress.max_scans = limits.max_scans;
  state.info.mem->max_memory_to_use = static_cast<long>(limits.max_decoder_bytes);
  state.read_header(jpeg, limits);
  state.started = true;
  return {static_cast<int>(state.info.image_width), static_cast<int>(state.info.image_height)};
}

ImageTile JpegDecoder::decode_rows(PixelRange rows) {
  State& state = *state_;
  if (!state.started) throw ArgumentError("decode_rows() comes once after each read_header()");
  const int width = static_cast<int>(state.info.image_width);
  const int height = static_cast<int>(state.info.image_height);
  if (rows.first < 0 || rows.first >= rows.last || rows.last > height) {
    throw ArgumentError(fmt::format("rows [{}, {}) of a picture of {} rows", rows.first, rows.last, height));
  }
  state.started = false;
  if (!detail::run_guarded(state.errors, [&] { state.start(); })) state.fail_with_message();
  state.scratch.resize(std::size_t{state.info.image_width} * 4);
  pixels_.resize({width, rows.size()});
  const MutableImageView out = pixels_.view();
  if (!detail::run_guarded(state.errors, [&] { state.decode(rows, out); })) state.fail_with_message();
  jpeg_abort_decompress(&state.info);  // gives back what a large picture took
  return {out, 0, rows.first};
}

}  // namespace leat
