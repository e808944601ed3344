#include "leat/datasets/image/codecs/png_errors.h"

#include <cstring>

namespace leat::detail {

void on_png_error(png_structp png, png_const_charp message) {
  auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::strncpy(errors->message, message, sizeof errors->message - 1);
  errors->message[sizeof errors->message - 1] = '\0';
  std::longjmp(errors->jump, 1);
}

// libpng has no codes for errors and warnings, so the message's text is searched.
void on_png_warning(png_structp png, png_const_charp message) {
  auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  if (std::strstr(message, "CRC") != nullptr) {  // a warning only if corrupt files are allowed, else an error
    errors->warnings.add(DecodeWarning::missing_data);
  } else {
    errors->warnings.add(DecodeWarning::png_chunks);
  }
}

}  // namespace leat::detail
