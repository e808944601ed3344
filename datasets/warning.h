/// \file
/// Warnings: what a user should know although the program continues.
#pragma once

#include <functional>
#include <string>

#include "leat/datasets/export.h"

namespace leat {

/// Takes one line of text. Called on the thread that uses the object that has the handler as an option.
using WarningHandler = std::function<void(const std::string& text)>;

/// Calls the handler; if it is empty, prints "leat: warning: <text>" to stderr.
LEAT_EXPORT void warn(const WarningHandler& handler, const std::string& text);

/// Appends a warning to others, separated by "; ". Does nothing if `text` is empty.
LEAT_EXPORT void append_warning(std::string& warnings, const std::string& text);

}  // namespace leat
