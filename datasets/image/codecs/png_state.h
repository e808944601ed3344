// libpng's reader with its error handling. Only for the decoder's .cpp files, since it exposes libpng's types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/png_errors.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat::detail {

// Reads one image after the other. libpng allocates its memory anew for each image. Functions marked noexcept call
// libpng and must be called in bodies of guard(): an error leaves them by longjmp.
class PngState {
 public:
  PngState() = default;
  ~PngState() { abandon(); }
  PngState(const PngState&) = delete;
  PngState& operator=(const PngState&) = delete;

  // Runs `body`. Throws DataError if libpng reports an error in it.
  template <class Body>
  void guard(const Body& body) {
    if (!run_guarded(errors_, body)) fail_with_message();
  }

  // Like guard(), but if corrupt files are allowed, an error is recorded as missing data and attempt() returns false.
  template <class Body>
  bool attempt(const Body& body) {
    if (run_guarded(errors_, body)) return true;
    if (!errors_.allow_corrupt) fail_with_message();
    errors_.warnings.add(DecodeWarning::missing_data);
    return false;
  }

  // Defects of the image found so far.
  DecodeWarnings warnings() const noexcept { return errors_.warnings; }

  // Drops the last image, reads the next image's header and checks it against the limits.
  void read_header(std::span<const std::byte> png, const JpegLimits& limits);
  Size size() const noexcept;
  bool is_interlaced() const noexcept;

  // Allocates libpng's memory for rows. Rows are delivered as 8-bit RGB.
  void start() noexcept;
  void read_row(std::uint8_t* row) noexcept;  // null: skips the row
  // Reads all rows of an interlaced image. With a palette the rows hold indices until look_up() is called. look_up()
  // need not be called in a guarded body.
  void read_all(MutableImageView pixels) noexcept;
  void look_up(MutableImageView pixels) noexcept;
  // Reads the rest of the file after the last row, up to IEND.
  void finish() noexcept { png_read_end(png_, nullptr); }

 private:
  static void read(png_structp png, png_bytep out, std::size_t size);
  void abandon() noexcept;
  void begin() noexcept;
  [[noreturn]] void fail_with_message();
  void check_header(const JpegLimits& limits) const;
  void take_palette() noexcept;
  void look_up(std::uint8_t* row) noexcept;

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  PngErrors errors_{};
  std::span<const std::byte> rest_;  // unread part of the file

  // libpng could look up colors itself, but would not report which indices have no color.
  std::array<png_color, PNG_MAX_PALETTE_LENGTH> palette_{};  // black if there is no color
  int colors_ = 0;                                           // palette size; 0: no palette
};

}  // namespace leat::detail
