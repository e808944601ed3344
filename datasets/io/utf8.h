// Checks UTF-8, and converts the names of files to it.
#pragma once

#include <string>
#include <string_view>

namespace leat::detail {

/// Whether the text is UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

/// Returns the name of a file as text. A name in UTF-8 stays unchanged. In any other name, the bytes that are not
/// UTF-8 become %XX, and % becomes %25, so that the name can be restored.
std::string utf8_name(std::string_view name);

}  // namespace leat::detail
