#include "datasets/image/jpeg_errors.h"

#include <cstring>

namespace leat::detail {

namespace {

JpegErrors& errors_of(j_common_ptr info) noexcept {
  return *reinterpret_cast<JpegErrors*>(info->err);
}

void on_error(j_common_ptr info) {
  JpegErrors& errors = errors_of(info);
  errors.manager.format_message(info, errors.message);
  std::longjmp(errors.jump, 1);
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // a trace
  ++info->err->num_warnings;
  if (errors_of(info).warnings_are_errors) on_error(info);
}

void print_nothing(j_common_ptr) {}

}  // namespace

jpeg_error_mgr* install(JpegErrors& errors, bool warnings_are_errors) noexcept {
  jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  errors.manager.output_message = print_nothing;
  errors.warnings_are_errors = warnings_are_errors;
  errors.message[0] = '\0';
  return &errors.manager;
}

void leave(JpegErrors& errors, const char* message) noexcept {
  std::strncpy(errors.message, message, sizeof errors.message - 1);
  errors.message[sizeof errors.message - 1] = '\0';
  std::longjmp(errors.jump, 1);
}

}  // namespace leat::detail
