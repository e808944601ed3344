// Texts of errors that are put into other texts.
#pragma once

#include <string_view>

namespace leat::detail {

// The text of an error of `source` without its start "<source>: ", for a text that names the source already.
std::string_view without_source(std::string_view text, std::string_view source) noexcept;

}  // namespace leat::detail
