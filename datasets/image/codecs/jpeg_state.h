// libjpeg's decompressor with its error handling. Only for the decoder's .cpp files, since it exposes libjpeg's
// types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/jpeg_errors.h"
#include "leat/datasets/image/codecs/orientation.h"
#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat::detail {

// Creates a new decompressor for each image, so no state of one image affects the next. Functions marked noexcept
// call libjpeg and must be called in bodies of guard(): an error leaves them by longjmp.
class JpegState {
 public:
  JpegState() = default;
  ~JpegState() { jpeg_destroy_decompress(&info); }
  JpegState(const JpegState&) = delete;
  JpegState& operator=(const JpegState&) = delete;

  // Runs `body`. Throws DataError if libjpeg reports an error in it.
  template <class Body>
  void guard(const Body& body) {
    if (!run_guarded(errors_, body)) fail_with_message();
  }

  // Drops the last image, reads the next image's header and checks it against the limits.
  void read_header(std::span<const std::byte> jpeg, const JpegLimits& limits, bool read_orientation);
  // The orientation that the header's EXIF segments state. Upright if read_header() was not asked for it.
  Orientation orientation() noexcept;
  // Defects of the image found so far.
  DecodeWarnings warnings() const noexcept { return errors_.warnings; }

  // Allocates libjpeg's memory. For a file with several scans, also reads all of them. The image is decoded at
  // 1/reduction.
  void start(int reduction) noexcept;
  // Whether a crop of columns decodes to the same bytes that these columns have in the whole image. Call after
  // start().
  bool can_crop() const noexcept;
  // Restricts decoding to columns that include `columns`. Rows then start at the returned column and have
  // info.output_width columns. Call after start() and before the first row.
  int crop(PixelRange columns) noexcept;
  void skip(int rows) noexcept;
  void read_row(std::uint8_t* row) noexcept;
  void finish() noexcept;

  jpeg_decompress_struct info{};

 private:
  struct Progress {
    jpeg_progress_mgr manager;  // must be the first member: libjpeg passes its address
    int max_scans;
  };

  void renew(bool allow_missing_data);
  static void check_scans(j_common_ptr info);
  [[noreturn]] void fail_with_message();
  void check_header(std::span<const std::byte> jpeg, const JpegLimits& limits);
  void check_quantization();
  bool smooths_blocks() const noexcept;

  JpegErrors errors_{};
  Progress progress_{};
};

}  // namespace leat::detail
