#include "bench/tiny_samples.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/comparison.h"
#include "leat/datasets/in_memory.h"
#include "leat/loader/data_loader.h"

namespace leat::bench {

namespace {

constexpr std::size_t kSamples = 50'000, kSampleBytes = 3072, kBatch = 256, kSlots = 8;

// Byte k of sample i is (i + k) mod 251. The label of sample i is i.
std::shared_ptr<InMemoryDataset> make_dataset() {
  std::vector<std::uint8_t> pixels(kSamples * kSampleBytes);
  std::vector<std::int64_t> labels(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (std::size_t k = 0; k < kSampleBytes; ++k)
      pixels[i * kSampleBytes + k] = static_cast<std::uint8_t>((i + k) % 251);
  }
  std::iota(labels.begin(), labels.end(), 0);
  std::vector<InMemoryDataset::Column> columns;
  columns.push_back(InMemoryDataset::column("image", {kSampleBytes}, pixels));
  columns.push_back(InMemoryDataset::column("label", {}, labels));
  return std::make_shared<InMemoryDataset>(std::move(columns));
}

std::vector<std::uint64_t> shuffled_order() {
  std::vector<std::uint64_t> order(kSamples);
  RandomSampler(kSamples, 1).indices(0, 0, order);
  return order;
}

void require_sum(std::uint64_t labels) {
  if (labels != kSamples * (kSamples - 1) / 2)
    throw std::runtime_error("tiny samples: an epoch lost or doubled samples");
}

// The bare loop: no scheduling, no hand-over, no order between batches.
class Gather {
 public:
  explicit Gather(std::size_t threads) : threads_(threads), slots_(threads * kSlots * kBatch * kSampleBytes) {
    std::vector<std::uint8_t> pixels(kSamples * kSampleBytes);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i % 251);
    pixels_ = std::move(pixels);
  }

  std::size_t epoch() {
    std::vector<std::uint64_t> sums(threads_);
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < threads_; ++t)
        threads.emplace_back([this, t, &sums] { sums[t] = copy_share(t); });
    }
    require_sum(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
    return kSamples;
  }

 private:
  std::uint64_t copy_share(std::size_t thread) {
    std::uint64_t labels = 0;
    std::uint8_t* const mine = slots_.data() + thread * kSlots * kBatch * kSampleBytes;
    const std::size_t first = kSamples * thread / threads_, last = kSamples * (thread + 1) / threads_;
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t index = order_[i];
      std::memcpy(mine + (i - first) % (kSlots * kBatch) * kSampleBytes,
                  pixels_.data() + index * kSampleBytes, kSampleBytes);
      labels += index;
    }
    return labels;
  }

  std::size_t threads_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> slots_;
  std::vector<std::uint64_t> order_ = shuffled_order();
};

Epoch gather(std::size_t threads) {
  auto loop = std::make_shared<Gather>(threads);
  return [loop] { return loop->epoch(); };
}

Epoch load(int workers) {
  struct Loading {
    std::shared_ptr<InMemoryDataset> dataset = make_dataset();
    std::unique_ptr<DataLoader> loader;
  };
  auto loading = std::make_shared<Loading>();
  loading->loader = std::make_unique<DataLoader>(
      *loading->dataset,
      DataLoaderOptions{.batch_size = kBatch, .shuffle = true, .num_workers = workers, .seed = 1});
  return [loading] {
    std::uint64_t labels = 0;
    while (const auto batch = loading->loader->next()) {
      const auto field = (*batch)["label"].as<std::int64_t>();
      labels += static_cast<std::uint64_t>(std::accumulate(field.begin(), field.end(), std::int64_t{0}));
    }
    require_sum(labels);
    return kSamples;
  };
}

}  // namespace

void add_tiny_samples() {
  add(
      "tiny samples, inline against 1 thread", 0.85, [] { return gather(1); }, [] { return load(0); });
  add(
      "tiny samples, 2 workers against 2 threads", 0.65, [] { return gather(2); }, [] { return load(2); });
}

}  // namespace leat::bench
