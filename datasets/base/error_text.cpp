#include "leat/datasets/base/error_text.h"

namespace leat::detail {

std::string_view without_source(std::string_view text, std::string_view source) noexcept {
  constexpr std::string_view kColon = ": ";
  if (source.empty() || !text.starts_with(source)) return text;
  const std::string_view rest = text.substr(source.size());
  return rest.starts_with(kColon) ? rest.substr(kColon.size()) : text;
}

}  // namespace leat::detail
