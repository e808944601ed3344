#include "loader/base/warning.h"

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

}  // namespace leat
