#include "datasets/image/png_errors.h"

#include <cstring>

namespace leat::detail {

void on_png_error(png_structp png, png_const_charp message) {
  auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(png));
  std::strncpy(errors->message, message, sizeof errors->message - 1);
  errors->message[sizeof errors->message - 1] = '\0';
  std::longjmp(errors->jump, 1);
}

void on_png_warning(png_structp, png_const_charp) {}

}  // namespace leat::detail
