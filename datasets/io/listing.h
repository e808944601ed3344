// Turns std::filesystem's errors into SystemError.
#pragma once

#include <filesystem>

#include "leat/datasets/errors.h"

namespace leat::detail {

/// Returns what `function` returns, which lists folders with std::filesystem. Throws SystemError with the folder's
/// path if `function` throws std::filesystem::filesystem_error; other errors pass.
template <class Function>
auto listing(const Function& function) {
  try {
    return function();
  } catch (const std::filesystem::filesystem_error& error) {
    throw SystemError("listing " + error.path1().string(), error.code().value());
  }
}

}  // namespace leat::detail
