#include "tools/common/image_set.h"

#include <fmt/format.h>

#include <unordered_map>

#include "leat/datasets/formats/registry.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;
namespace {

constexpr std::int64_t kMaxClasses = 1'000'000;

std::vector<std::int64_t> labels_of(const ImageDataset& images) {
  std::vector<std::int64_t> labels(images.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = images.label_of(i);
  return labels;
}

// Returns "0" to the largest label as class names.
std::vector<std::string> class_numbers(const std::vector<std::int64_t>& labels, const std::string& path) {
  std::vector<std::string> names;
  for (const std::int64_t label : labels) {
    if (label < 0 || label >= kMaxClasses) {
      throw UsageError(fmt::format("'{}' holds the label {}; classes are numbered from 0 to {}", path, label,
                                   kMaxClasses - 1));
    }
    while (static_cast<std::int64_t>(names.size()) <= label) names.push_back(std::to_string(names.size()));
  }
  return names;
}

}  // namespace

std::vector<std::int64_t> ImageSet::open(const ImageLocation& location, bool own_place, bool with_labels,
                                         TransformPipeline transforms) {
  SourceLocation where = own_place ? *location.held_back : location.train;
  if (location.allow_empty) accept_empty_classes(where);
  const auto source = open_source(where);
  if (source->size() == 0) throw UsageError(fmt::format("'{}' holds no samples", where.where));
  all_ = std::make_unique<ImageDataset>(
      source, std::move(transforms),
      ImageDatasetOptions{.decode = {.limits = {.allow_corrupt = location.allow_corrupt}}});
  std::vector<std::int64_t> labels;
  classes_ = all_->classes();
  if (with_labels) {
    labels = labels_of(*all_);
    if (classes_.empty()) classes_ = class_numbers(labels, where.where);
  }
  return labels;
}

ImageSet::ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms) {
  const bool own_place = part == Part::held_back && location.held_back.has_value();
  const auto labels =
      opening([&] { return open(location, own_place, part != Part::all, std::move(transforms)); });
  if (own_place || part == Part::all || (part == Part::train && location.held_back)) return;
  auto indices = tenths(labels, part == Part::held_back);
  if (indices.empty()) {
    throw UsageError(
        fmt::format("no image of '{}' is held back for testing: give ten images per class or more, or a "
                    "folder test/ beside train/",
                    location.train.where));
  }
  subset_ = std::make_unique<Subset>(*all_, std::move(indices));
}

const Dataset& ImageSet::dataset() const noexcept {
  if (subset_) return *subset_;
  return *all_;
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
