#include "leat/datasets/formats/picture_names.h"

#include <algorithm>
#include <array>

namespace leat {

namespace {

constexpr std::array<std::string_view, 3> kEndings{"jpg", "jpeg", "png"};

}  // namespace

std::vector<std::string> other_picture_names(std::string_view name) {
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

const RawField* find_picture(const RawSample& sample, std::string_view name) {
  if (const RawField* const field = sample.find(name)) return field;
  for (const std::string& other : other_picture_names(name)) {
    if (const RawField* const field = sample.find(other)) return field;
  }
  return nullptr;
}

}  // namespace leat
