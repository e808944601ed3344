// What a user should know though the program goes on.
#pragma once

#include <functional>
#include <string>

namespace leat {

// Gets one line of text. Called on the thread that uses the object whose option it is.
using WarningHandler = std::function<void(const std::string& text)>;

// Calls the handler; where there is none, prints "leat: warning: <text>" to stderr.
void warn(const WarningHandler& handler, const std::string& text);

// Adds a warning to others, separated from them by "; ". Empty texts are none.
void append_warning(std::string& warnings, const std::string& text);

}  // namespace leat
