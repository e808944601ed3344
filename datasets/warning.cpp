#include "leat/datasets/warning.h"

#include <fmt/format.h>

#include <cstdio>

namespace leat {

void warn(const WarningHandler& handler, const std::string& text) {
  if (handler) {
    handler(text);
  } else {
    fmt::print(stderr, "leat: warning: {}\n", text);
  }
}

void append_warning(std::string& warnings, const std::string& text) {
  if (!warnings.empty() && !text.empty()) warnings += "; ";
  warnings += text;
}

}  // namespace leat
