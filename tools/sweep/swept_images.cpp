#include "tools/sweep/swept_images.h"

#include <memory>

#include "datasets/image_folder.h"
#include "loader/base/warning.h"
#include "tools/common/transforms.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;

TransformPipeline transforms_of(const SweepOptions& options) {
  const auto geometry =
      options.augment ? training_transforms(options.image_size) : test_transforms(options.image_size);
  return options.output == Output::f32 ? geometry | normalize_images() : geometry;
}

// std::filesystem's recursive iterator ends with an error at a link that leads nowhere.
void add_bytes_below(const fs::path& folder, int depth, std::uint64_t& bytes) {
  constexpr int kMaxDepth = 32;  // a link leads in a circle
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_broken_link(entry)) continue;
    if (entry.is_regular_file()) bytes += entry.file_size();
    if (entry.is_directory() && depth < kMaxDepth) add_bytes_below(entry.path(), depth + 1, bytes);
  }
}

}  // namespace

SweptImages::SweptImages(const ImageLocation& location, const SweepOptions& options)
    : transforms_(transforms_of(options)),
      decoding_{.limits = {.allow_corrupt = location.allow_corrupt}},
      images_(location, Part::all, transforms_),
      options_{.batch_size = options.batch_size, .shuffle = true, .seed = options.seed} {}

DataLoader SweptImages::loader_of(const Dataset& dataset, int num_workers) const {
  DataLoaderOptions options = options_;
  options.num_workers = num_workers;
  // The constructor warns of more workers than CPUs, which a sweep is there to try. What comes later is passed on.
  const auto is_made = std::make_shared<bool>(false);  // shared with the loader, which moves out of here
  options.on_warning = [is_made](const std::string& text) {
    if (*is_made) warn(nullptr, text);
  };
  DataLoader loader(dataset, options);
  *is_made = true;
  return loader;
}

SweptData describe_data(const ImageLocation& location, const SweepOptions& options) {
  SweptData data{.what = options.data};
  if (!options.json.empty() || !options.report.empty()) data.stored_bytes = stored_bytes(location.train);
  data.settings = {{"image_size", std::to_string(options.image_size)},
                   {"transform", options.augment ? "train" : "val"},
                   {"output", options.output == Output::f32 ? "f32" : "u8"},
                   {"seed", std::to_string(options.seed)}};
  return data;
}

std::optional<std::uint64_t> stored_bytes(const fs::path& path) {
  if (fs::is_regular_file(path)) return fs::file_size(path);
  if (!fs::is_directory(path)) return std::nullopt;
  std::uint64_t bytes = 0;
  add_bytes_below(path, 0, bytes);
  return bytes;
}

}  // namespace leat::tools
