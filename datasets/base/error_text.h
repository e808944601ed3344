// Removes the name of the source from an error's text.
#pragma once

#include <string_view>

namespace leat::detail {

// Returns `text` without its leading "<source>: ", for use in a text that names the source already. Returns a text
// that does not start so unchanged.
std::string_view without_source(std::string_view text, std::string_view source) noexcept;

}  // namespace leat::detail
