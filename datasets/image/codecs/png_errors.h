// Error handling of libpng. Only for the .cpp files of the decoder and the encoder, since it exposes libpng's types.
//
// libpng reports errors by longjmp, so it is called only in bodies of run_guarded().
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
  char message[160];  // error that ended the last body
};

// Callbacks for libpng. The error pointer that is registered with them must point to a PngErrors.
[[noreturn]] void on_png_error(png_structp png, png_const_charp message);
void on_png_warning(png_structp png, png_const_charp message);  // adds it to `warnings`

}  // namespace leat::detail
