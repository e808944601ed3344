#include "tools/sweep/swept_images.h"

#include <atomic>
#include <memory>
#include <new>
#include <string>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/warning.h"
#include "tools/common/transforms.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

TransformPipeline transforms_of(const SweepOptions& options) {
  const auto geometry =
      options.augment ? training_transforms(options.image_size) : test_transforms(options.image_size);
  return options.output == Output::f32 ? geometry | normalize_images() : geometry;
}

// Adds the sizes of all files below a folder. std::filesystem's recursive iterator fails at a broken link.
void add_bytes_below(const fs::path& folder, int depth, std::uint64_t& bytes) {
  constexpr int kMaxDepth = 32;  // a greater depth means a cycle of links
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_broken_link(entry)) continue;
    if (entry.is_regular_file()) bytes += entry.file_size();
    if (entry.is_directory() && depth < kMaxDepth) add_bytes_below(entry.path(), depth + 1, bytes);
  }
}

// The same samples. Only one of all loaders, in all processes that share the flag, reports the dataset's warnings.
class WarnsOnce final : public Dataset {
 public:
  WarnsOnce(const Dataset& dataset, std::atomic<bool>& warned) : dataset_(dataset), warned_(warned) {}
  std::size_t size() const override { return dataset_.size(); }
  const Schema& schema() const override { return dataset_.schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override { dataset_.get(index, rng, out); }
  void prefetch(std::size_t index) const noexcept override { dataset_.prefetch(index); }
  void read_ahead(std::size_t index) const noexcept override { dataset_.read_ahead(index); }
  bool reads_ahead() const noexcept override { return dataset_.reads_ahead(); }
  std::string describe(std::size_t index) const override { return dataset_.describe(index); }
  std::string warnings() const override {
    const std::string text = dataset_.warnings();
    return text.empty() || warned_.exchange(true) ? std::string() : text;
  }

 private:
  const Dataset& dataset_;
  std::atomic<bool>& warned_;
};

std::atomic<bool>& flag_in(const SharedMemory& memory) {
  return *std::launder(reinterpret_cast<std::atomic<bool>*>(memory.bytes().data()));
}

}  // namespace

SweptImages::SweptImages(const ImageLocation& location, const SweepOptions& options)
    : transforms_(transforms_of(options)),
      decoding_{.limits = {.allow_corrupt = location.allow_corrupt}},
      images_(location, Part::all, transforms_),
      options_{.batch_size = options.batch_size, .shuffle = true, .seed = options.seed},
      warned_("the flag of a warning", sizeof(std::atomic<bool>)) {
  new (warned_.bytes().data()) std::atomic<bool>(false);
}

DataLoader SweptImages::loader_of(const Dataset& dataset, int num_workers) const {
  DataLoaderOptions options = options_;
  options.num_workers = num_workers;
  // The constructor warns about more workers than CPUs, which a sweep tries on purpose. Later warnings are passed on.
  const auto is_made = std::make_shared<bool>(false);  // shared with the loader, which moves out of here
  const auto once = std::make_shared<const WarnsOnce>(dataset, flag_in(warned_));  // kept by the handler
  options.on_warning = [is_made, once](const std::string& text) {
    if (*is_made) warn(nullptr, text);
  };
  DataLoader loader(*once, options);
  *is_made = true;
  return loader;
}

SweptData describe_data(const ImageLocation& location, const SweepOptions& options) {
  SweptData data{.what = options.data};
  if (!options.json.empty() || !options.report.empty())
    data.stored_bytes = stored_bytes(location.train.where);
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
