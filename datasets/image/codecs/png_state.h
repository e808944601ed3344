// libpng's reader with its error handling, for the decoder's .cpp files only (it shows libpng's types).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/image/codecs/png_errors.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/jpeg_limits.h"

namespace leat::detail {

// One reader, for one image after the other; libpng takes its memory anew for each. Functions marked noexcept call
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

  // The same, but an error is noted as missing data where corrupt files are allowed. False after such an error.
  template <class Body>
  bool attempt(const Body& body) {
    if (run_guarded(errors_, body)) return true;
    if (!errors_.allow_corrupt) fail_with_message();
    errors_.warnings.add(DecodeWarning::missing_data);
    return false;
  }

  // What was wrong with the image so far.
  DecodeWarnings warnings() const noexcept { return errors_.warnings; }

  // Abandons the last image, reads the next one's header and checks it against the limits.
  void read_header(std::span<const std::byte> png, const JpegLimits& limits);
  Size size() const noexcept;
  bool is_interlaced() const noexcept;

  // Takes libpng's memory for rows. They come as 8-bit RGB.
  void start() noexcept;
  void read_row(std::uint8_t* row) noexcept;  // null: passes over it
  // All rows, of an interlaced image. With a palette they hold indices until look_up() is called, which need not be in
  // a guarded body.
  void read_all(MutableImageView pixels) noexcept;
  void look_up(MutableImageView pixels) noexcept;
  // What follows the last row, to IEND.
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
  std::span<const std::byte> rest_;  // of the file

  // libpng would look colors up itself, but not tell which indices have none.
  std::array<png_color, PNG_MAX_PALETTE_LENGTH> palette_{};  // black where there is no color
  int colors_ = 0;                                           // of the palette; 0: there is none
};

}  // namespace leat::detail
