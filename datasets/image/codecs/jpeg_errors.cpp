#include "leat/datasets/image/codecs/jpeg_errors.h"

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

// Maps a message code to a warning. libjpeg has a single level for all problems after which it can continue. The
// codes listed here mean that no pixel is missing or invented.
DecodeWarning kind_of(int code, bool reads_header) noexcept {
  switch (code) {
    case JWRN_EXTRANEOUS_DATA:
      return reads_header ? DecodeWarning::extraneous_bytes : DecodeWarning::surplus_data;
    case JWRN_NOT_SEQUENTIAL:
      return DecodeWarning::scan_parameters;
    case JWRN_JFIF_MAJOR:
      return DecodeWarning::jfif_revision;
    case JWRN_ADOBE_XFORM:
      return DecodeWarning::color_transform;
    default:
      return DecodeWarning::missing_data;
  }
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // trace messages are ignored
  ++info->err->num_warnings;
  JpegErrors& errors = errors_of(info);
  const DecodeWarning kind = kind_of(info->err->msg_code, errors.reads_header);
  if (kind == DecodeWarning::missing_data && !errors.allow_missing_data) on_error(info);
  errors.warnings.add(kind);
}

void print_nothing(j_common_ptr) {}

}  // namespace

jpeg_error_mgr* install(JpegErrors& errors, bool allow_missing_data) noexcept {
  jpeg_std_error(&errors.manager);
  errors.manager.error_exit = on_error;
  errors.manager.emit_message = on_message;
  errors.manager.output_message = print_nothing;
  errors.allow_missing_data = allow_missing_data;
  errors.warnings = {};
  errors.reads_header = true;
  errors.message[0] = '\0';
  return &errors.manager;
}

void leave(JpegErrors& errors, const char* message) noexcept {
  std::strncpy(errors.message, message, sizeof errors.message - 1);
  errors.message[sizeof errors.message - 1] = '\0';
  std::longjmp(errors.jump, 1);
}

}  // namespace leat::detail
