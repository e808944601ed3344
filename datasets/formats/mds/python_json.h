// Writes text as Python's json.dumps does: MDS files hold such text, and their lengths depend on it.
#pragma once

#include <string>
#include <string_view>

namespace leat::detail {

// Returns the text in quotes, with everything beyond ASCII escaped. Throws ArgumentError if the text is not UTF-8.
std::string python_json_string(std::string_view text);

}  // namespace leat::detail
