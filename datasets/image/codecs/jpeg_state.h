// libjpeg's decompressor with its error handling, for the decoder's .cpp files only (it shows libjpeg's types).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/jpeg_errors.h"
#include "leat/datasets/image/codecs/orientation.h"
#include "leat/datasets/image/resample/geometry.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat::detail {

// One decompressor after the other, one for each image: nothing of an image is left when the next one comes. Functions
// marked noexcept call libjpeg and belong into the bodies of guard(): an error leaves them by longjmp.
class JpegState {
 public:
  JpegState() = default;
  ~JpegState() { jpeg_destroy_decompress(&info); }
  JpegState(const JpegState&) = delete;
  JpegState& operator=(const JpegState&) = delete;

  // Runs `body`; throws DataError where libjpeg reports an error in it.
  template <class Body>
  void guard(const Body& body) {
    if (!run_guarded(errors_, body)) fail_with_message();
  }

  // Abandons the last image, reads the next one's header and checks it against the limits.
  void read_header(std::span<const std::byte> jpeg, const JpegLimits& limits, bool read_orientation);
  // What the header's EXIF segments state; upright where they were not asked for.
  Orientation orientation() noexcept;
  // What was wrong with the image so far.
  DecodeWarnings warnings() const noexcept { return errors_.warnings; }

  // Takes libjpeg's memory, and reads all scans of a file that has several. The image is decoded at
  // 1/reduction.
  void start(int reduction) noexcept;
  // Whether some columns alone decode to the bytes that they have in the whole image. After start().
  bool can_crop() const noexcept;
  // Leaves out columns, but not more than can be: what is decoded then starts at the column returned, and
  // goes on for info.output_width columns, `columns` among them. Between start() and the first row.
  int crop(PixelRange columns) noexcept;
  void skip(int rows) noexcept;
  void read_row(std::uint8_t* row) noexcept;
  void finish() noexcept;

  jpeg_decompress_struct info{};

 private:
  struct Progress {
    jpeg_progress_mgr manager;  // the first member: libjpeg hands out its address
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
