#include "leat/datasets/image/codecs/png_errors.h"

#include <cstring>

namespace leat::detail {

void on_png_error(png_structp png, png_const_charp message) {
  auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::strncpy(errors->message, message, sizeof errors->message - 1);
  errors->message[sizeof errors->message - 1] = '\0';
  std::longjmp(errors->jump, 1);
}

// libpng numbers neither errors nor warnings.
void on_png_warning(png_structp png, png_const_charp message) {
  auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  if (std::strstr(message, "CRC") != nullptr) {  // no warning, but an error, unless corrupt files are allowed
    errors->warnings.add(DecodeWarning::missing_data);
  } else {
    errors->warnings.add(DecodeWarning::png_chunks);
  }
}

}  // namespace leat::detail
