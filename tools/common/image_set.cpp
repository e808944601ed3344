#include "tools/common/image_set.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "datasets/image_folder.h"
#include "datasets/records/manifest.h"
#include "datasets/records/record_images.h"
#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

template <class Images>
std::vector<std::int64_t> labels_of(const Images& images) {
  std::vector<std::int64_t> labels(images.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = images.label_of(i);
  return labels;
}

// Calls `use` with the images that lie at `path`, of whichever kind.
template <class Use>
void open_images(const std::filesystem::path& path, TransformPipeline transforms, const Use& use) {
  if (has_manifest(path)) {
    use(std::make_unique<RecordImages>(path, std::move(transforms)));
  } else {
    use(std::make_unique<ImageFolder>(path, std::move(transforms)));
  }
}

}  // namespace

ImageSet::ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms) {
  const bool own_folder = part == Part::held_back && location.held_back.has_value();
  const auto& path = own_folder ? *location.held_back : location.train;
  const bool whole = own_folder || part == Part::all || (part == Part::train && location.held_back);
  std::vector<std::int64_t> labels;
  open_images(path, std::move(transforms), [&](auto images) {
    classes_ = images->classes();
    if (!whole) labels = labels_of(*images);
    images_ = std::move(images);
  });
  if (classes_.empty()) {
    throw UsageError(fmt::format("the records in '{}' do not name their classes", path.string()));
  }
  if (whole) return;
  auto indices = tenths(labels, part == Part::held_back);
  if (indices.empty()) {
    throw UsageError(
        fmt::format("no image of '{}' is held back for testing: give ten images per class or more, or a "
                    "folder test/ beside train/",
                    path.string()));
  }
  subset_ = std::make_unique<Subset>(*images_, std::move(indices));
}

const Dataset& ImageSet::dataset() const noexcept {
  if (subset_) return *subset_;
  return *images_;
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
