#include "leat/datasets/formats/image_names.h"

#include <algorithm>
#include <array>

namespace leat::detail {

namespace {

constexpr std::array<std::string_view, 3> kEndings{"jpg", "jpeg", "png"};

}  // namespace

std::vector<std::string> other_image_names(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
  const std::string_view ending = name.substr(start);
  std::vector<std::string> names;
  if (std::ranges::find(kEndings, ending) == kEndings.end()) return names;
  for (const std::string_view other : kEndings) {
    if (other != ending) names.push_back(std::string(name.substr(0, start)).append(other));
  }
  return names;
}

const StoredField* find_image(const StoredSample& sample, std::string_view name) {
  if (const StoredField* const field = sample.find(name)) return field;
  for (const std::string& other : other_image_names(name)) {
    if (const StoredField* const field = sample.find(other)) return field;
  }
  return nullptr;
}

}  // namespace leat::detail
