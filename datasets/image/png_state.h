// libpng's reader with its error handling, for the decoder's .cpp files only (it shows libpng's types).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "datasets/image/image.h"
#include "datasets/image/jpeg_limits.h"
#include "datasets/image/png_errors.h"

namespace leat::detail {

// One reader, for one picture after the other; libpng takes its memory anew for each. Functions marked noexcept call
// libpng and belong into the bodies of guard(): an error leaves them by longjmp.
class PngState {
 public:
  PngState() = default;
  ~PngState() { abandon(); }
  PngState(const PngState&) = delete;
  PngState& operator=(const PngState&) = delete;

  // Runs `body`; throws DataError where libpng reports an error in it.
  template <class Body>
  void guard(const Body& body) {
    if (!run_guarded(errors_, body)) fail_with_message();
  }

  // Abandons the last picture, reads the next one's header and checks it against the limits.
  void read_header(std::span<const std::byte> png, const JpegLimits& limits);
  Size size() const noexcept;
  bool is_interlaced() const noexcept;

  // Takes libpng's memory for rows. They come as 8-bit RGB.
  void start() noexcept;
  void read_row(std::uint8_t* row) noexcept { png_read_row(png_, row, nullptr); }  // null: passes over it
  // All rows, of an interlaced picture.
  void read_all(MutableImageView pixels) noexcept;
  // What follows the last row, to IEND.
  void finish() noexcept { png_read_end(png_, nullptr); }

 private:
  static void read(png_structp png, png_bytep out, std::size_t size);
  void abandon() noexcept;
  void begin(bool allow_corrupt) noexcept;
  [[noreturn]] void fail_with_message();
  void check_header(const JpegLimits& limits) const;

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  PngErrors errors_{};
  std::span<const std::byte> rest_;  // of the file
};

}  // namespace leat::detail
