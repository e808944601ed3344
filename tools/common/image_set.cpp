#include "tools/common/image_set.h"

#include <fmt/format.h>

#include <unordered_map>

#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

std::vector<std::int64_t> labels_of(const ImageFolder& folder) {
  std::vector<std::int64_t> labels(folder.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = folder.label_of(i);
  return labels;
}

}  // namespace

ImageSet::ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms) {
  const bool own_folder = part == Part::held_back && location.held_back.has_value();
  const auto& path = own_folder ? *location.held_back : location.train;
  folder_ = std::make_unique<ImageFolder>(path, std::move(transforms));
  if (own_folder || part == Part::all || (part == Part::train && location.held_back)) return;
  auto indices = tenths(labels_of(*folder_), part == Part::held_back);
  if (indices.empty()) {
    throw UsageError(
        fmt::format("no image of '{}' is held back for testing: give ten images per class or more, or a "
                    "folder test/ beside train/",
                    path.string()));
  }
  subset_ = std::make_unique<Subset>(*folder_, std::move(indices));
}

const Dataset& ImageSet::dataset() const noexcept {
  if (subset_) return *subset_;
  return *folder_;
}

std::vector<std::size_t> tenths(const std::vector<std::int64_t>& labels, bool held_back) {
  std::unordered_map<std::int64_t, std::size_t> seen;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_tenth = ++seen[labels[i]] % 10 == 0;
    if (is_tenth == held_back) positions.push_back(i);
  }
  return positions;
}

}  // namespace leat::tools
