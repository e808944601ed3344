#include "bench/jpeg_samples.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/bare_decode.h"
#include "bench/comparison.h"
#include "bench/raw_samples.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/imagenet.h"
#include "leat/datasets/io/read_file.h"
#include "leat/datasets/subset.h"
#include "leat/loader/data_loader.h"

namespace leat::bench {

using namespace detail;

namespace {

constexpr std::size_t kSamples = 600, kBatch = 64;
constexpr int kSize = 224, kWorkers = 2;

std::unique_ptr<ImageFolder> open(const std::filesystem::path& folder, const TransformPipeline& transforms) {
  return std::make_unique<ImageFolder>(folder, transforms);
}

TransformPipeline train_transforms() {
  return RandomResizedCrop{kSize} | RandomHorizontalFlip{};
}
TransformPipeline normalized_train_transforms() {
  return train_transforms() | Normalize{kImageNetMean, kImageNetStd};
}
TransformPipeline val_transforms() {
  return Resize{256} | CenterCrop{kSize};
}

class BareDecoder {
 public:
  explicit BareDecoder(const std::filesystem::path& folder) {
    const auto images = open(folder, train_transforms());
    for (std::size_t i = 0; i < images->size(); ++i) {
      files_.emplace_back();
      read_file(images->describe(i), std::size_t{1} << 30, files_.back());
    }
  }

  std::size_t epoch() const {
    std::atomic<std::size_t> next{0}, pixels{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < kWorkers; ++t) threads.emplace_back([&] { decode_until_done(next, pixels); });
    }
    if (pixels == 0) throw std::runtime_error("the bare decoder decoded nothing");
    return kSamples;
  }

 private:
  void decode_until_done(std::atomic<std::size_t>& next, std::atomic<std::size_t>& pixels) const {
    std::vector<unsigned char> rgb;
    for (std::size_t i = next++; i < kSamples; i = next++)
      pixels += decode_whole(files_[i % files_.size()], rgb);
  }

  std::vector<std::vector<std::byte>> files_;
};

Epoch bare_decoder(const std::filesystem::path& folder) {
  auto loop = std::make_shared<BareDecoder>(folder);
  return [loop] { return loop->epoch(); };
}

Epoch load(const std::filesystem::path& folder, const TransformPipeline& transforms) {
  struct Loading {
    std::unique_ptr<ImageFolder> images;
    std::unique_ptr<Subset> repeated;
    std::unique_ptr<DataLoader> loader;
  };
  auto loading = std::make_shared<Loading>();
  loading->images = open(folder, transforms);
  std::vector<std::size_t> indices(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) indices[i] = i % loading->images->size();
  loading->repeated = std::make_unique<Subset>(*loading->images, std::move(indices));
  loading->loader = std::make_unique<DataLoader>(
      *loading->repeated, DataLoaderOptions{.batch_size = kBatch, .shuffle = true, .num_workers = kWorkers});
  return [loading] {
    std::size_t samples = 0;
    while (const auto batch = loading->loader->next()) samples += batch->size();
    if (samples != kSamples) throw std::runtime_error("an epoch of JPEGs lost or doubled samples");
    return samples;
  };
}

}  // namespace

void add_jpeg_samples(const std::filesystem::path& folder) {
  const auto limit = [folder] { return bare_decoder(folder); };
  add("JPEG, random-resized-crop 224, 2 workers", 1.2, limit,
      [folder] { return load(folder, train_transforms()); });
  add("JPEG, the same to normalized f32, 2 workers", 1.1, limit,
      [folder] { return load(folder, normalized_train_transforms()); });
  add("JPEG, resize 256 + center crop 224, 2 workers", 1.0, limit,
      [folder] { return load(folder, val_transforms()); });
  add_raw_samples(folder, limit);
}

}  // namespace leat::bench
