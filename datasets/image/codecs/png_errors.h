// libpng's error handling, for the .cpp files of the decoder and the encoder only (it shows libpng's types).
//
// libpng leaves on an error by longjmp: its calls stand in the bodies of run_guarded().
#pragma once

#include <png.h>

#include <csetjmp>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/codecs/guarded_call.h"

namespace leat::detail {

struct PngErrors {
  jmp_buf jump;
  DecodeWarnings warnings;  // of the current image
  bool allow_corrupt = false;
  char message[160];  // of the error that ended the last body
};

// libpng's callbacks; the struct that was given with them is a PngErrors.
[[noreturn]] void on_png_error(png_structp png, png_const_charp message);
void on_png_warning(png_structp png, png_const_charp message);  // notes it in `warnings`

}  // namespace leat::detail
