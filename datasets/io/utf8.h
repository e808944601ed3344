// UTF-8, and names that are none.
#pragma once

#include <string>
#include <string_view>

namespace leat::detail {

/// Whether the text is UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

/// The name of a file as text. UTF-8 stays what it is; in any other name the bytes that are not become %XX, and %
/// becomes %25, so that the name can be had back.
std::string utf8_name(std::string_view name);

}  // namespace leat::detail
