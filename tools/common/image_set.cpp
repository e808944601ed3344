#include "tools/common/image_set.h"

#include <fmt/format.h>

#include <unordered_map>

#include "leat/datasets/formats/image_records.h"
#include "leat/datasets/formats/open_source.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/records/manifest.h"
#include "leat/datasets/records/record_images.h"
#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

constexpr std::int64_t kMaxClasses = 1'000'000;

template <class Images>
std::vector<std::int64_t> labels_of(const Images& images) {
  std::vector<std::int64_t> labels(images.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = images.label_of(i);
  return labels;
}

// "0" to the largest label there is.
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

template <class Images>
std::vector<std::int64_t> ImageSet::adopt(std::unique_ptr<Images> images) {
  classes_ = images->classes();
  auto labels = labels_of(*images);
  if (classes_.empty()) classes_ = class_numbers(labels, images->describe(0));
  all_ = std::move(images);
  return labels;
}

std::vector<std::int64_t> ImageSet::open_folder(const ImageLocation& location,
                                                const std::filesystem::path& path,
                                                TransformPipeline transforms) {
  const JpegLimits limits{.allow_corrupt = location.allow_corrupt};
  if (has_manifest(path))
    return adopt(
        std::make_unique<RecordImages>(path, std::move(transforms), DecodeOptions{.limits = limits}));
  return adopt(std::make_unique<ImageFolder>(
      path, std::move(transforms), ImageFolderOptions{.jpeg = limits, .allow_empty = location.allow_empty}));
}

std::vector<std::int64_t> ImageSet::open_records(const ImageLocation& location, bool own_place,
                                                 bool with_labels, TransformPipeline transforms) {
  const auto& path = own_place ? *location.held_back : location.train;
  const auto source = open_source(*location.format, path.string(),
                                  {.part = own_place ? DatasetPart::test : DatasetPart::train});
  if (source->size() == 0) throw UsageError(fmt::format("'{}' holds no samples", path.string()));
  auto records = std::make_unique<ImageRecords>(
      source, std::move(transforms),
      ImageRecordsOptions{.decode = {.limits = {.allow_corrupt = location.allow_corrupt}}});
  std::vector<std::int64_t> labels;
  if (with_labels) {
    labels = labels_of(*records);
    classes_ = source->classes();
    if (classes_.empty()) classes_ = class_numbers(labels, path.string());
  }
  all_ = std::move(records);
  return labels;
}

ImageSet::ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms) {
  const bool own_place = part == Part::held_back && location.held_back.has_value();
  const auto& path = own_place ? *location.held_back : location.train;
  const auto labels = opening([&] {
    return location.format ? open_records(location, own_place, part != Part::all, std::move(transforms))
                           : open_folder(location, path, std::move(transforms));
  });
  if (own_place || part == Part::all || (part == Part::train && location.held_back)) return;
  auto indices = tenths(labels, part == Part::held_back);
  if (indices.empty()) {
    throw UsageError(
        fmt::format("no image of '{}' is held back for testing: give ten images per class or more, or a "
                    "folder test/ beside train/",
                    path.string()));
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
