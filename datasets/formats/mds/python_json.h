// Text as Python's json.dumps writes it: MDS files hold that, and their lengths depend on it.
#pragma once

#include <string>
#include <string_view>

namespace leat::detail {

// In quotes, with everything beyond ASCII escaped. Throws ArgumentError where the text is not UTF-8.
std::string python_json_string(std::string_view text);

}  // namespace leat::detail
