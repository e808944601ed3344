#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/figure.h"
#include "bench/transfer/cases.h"
#include "bench/transfer/image_rows.h"
#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"

namespace leat::bench {

using namespace detail;

namespace {

using namespace std::chrono_literals;

// A stand-in for a training step: a given number of passes over a batch's images, on the consumer's stream.
class Compute {
 public:
  Compute(Device& device, std::size_t rows, const Stream& stream)
      : device_(device),
        shape_{rows, kSide, kSide, kChannels},
        stream_(stream),
        still_(device.allocate(shape_.count())),
        out_(device.allocate(shape_.count() * sizeof(float))) {
    device.fill_zero(still_.data(), still_.size(), stream);
  }

  void step(const void* images, std::size_t passes) {
    for (std::size_t i = 0; i < passes; ++i)
      device_.normalize(out_.data(), static_cast<const std::uint8_t*>(images), shape_, {}, stream_);
  }

  // Returns the milliseconds for `steps` steps on a batch that stays on the device.
  double still(std::size_t steps, std::size_t passes) {
    return milliseconds_of([&] {
      for (std::size_t i = 0; i < steps; ++i) step(still_.data(), passes);
      stream_.ref().synchronize();
    });
  }

  // Returns how many passes take `duration` milliseconds.
  std::size_t passes_for(double duration) {
    still(1, 20);
    const double one = still(1, 200) / 200;
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(duration / one)));
  }

 private:
  Device& device_;
  PixelShape shape_;
  const Stream& stream_;
  DeviceBuffer still_, out_;
};

double run_epoch(Prefetcher& feed, std::uint64_t epoch, const Stream& stream, Compute& compute,
                 std::size_t passes) {
  return milliseconds_of([&] {
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) compute.step(batch["image"].data, passes);
    stream.ref().synchronize();
  });
}

constexpr std::size_t kSlowSamples = 6400, kSlowBatch = 16, kSlowSteps = kSlowSamples / kSlowBatch;
constexpr double kSlowStep = 5;  // ms of work on the device per step

}  // namespace

std::vector<Pair> compare_overlap(Device& device, const TransferOptions& options) {
  const ImageRows dataset(options.batch_size * options.batches, ImageRows::Pixels::written);
  DataLoader loader(dataset, {.batch_size = options.batch_size, .num_workers = options.workers});
  const Stream stream = device.make_stream();
  Prefetcher feed(loader, device);
  Compute compute(device, options.batch_size, stream);
  std::uint64_t epoch = 0;
  run_epoch(feed, epoch++, stream, compute, 0);
  const double loading = run_epoch(feed, epoch++, stream, compute, 0) / static_cast<double>(options.batches);
  std::vector<Pair> pairs{
      {.name = "steps, device work as long as loading", .unit = "steps/s", .target = 0.99},
      {.name = "steps, device work a tenth longer", .unit = "steps/s", .target = 0.99}};
  const auto steps = static_cast<double>(options.batches);
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::size_t passes = compute.passes_for(loading * (i == 0 ? 1.0 : 1.1));
      pairs[i].limit.push_back(steps / compute.still(options.batches, passes) * 1e3);
      pairs[i].ours.push_back(steps / run_epoch(feed, epoch++, stream, compute, passes) * 1e3);
    }
  }
  return pairs;
}

Pair compare_slow_samples(Device& device, const TransferOptions& options) {
  const auto quick = [](std::size_t) -> std::chrono::nanoseconds { return 200us; };
  const auto slow = [](std::size_t index) -> std::chrono::nanoseconds {
    return index % (kSlowSamples / 4) == kSlowSamples / 8 ? 400ms : 200us;
  };
  const ImageRows without(kSlowSamples, ImageRows::Pixels::written, quick);
  const ImageRows with(kSlowSamples, ImageRows::Pixels::written, slow);
  const DataLoaderOptions settings{
      .batch_size = kSlowBatch, .num_workers = options.workers, .reorder_bytes = std::size_t{256} << 20};
  DataLoader loader_without(without, settings), loader_with(with, settings);
  const Stream stream = device.make_stream();
  Prefetcher feed_without(loader_without, device), feed_with(loader_with, device);
  Compute compute(device, kSlowBatch, stream);
  const std::size_t passes = compute.passes_for(kSlowStep);
  Pair pair{.name = "steps, four samples of 0.4 s in 6,400", .unit = "steps/s", .target = 0.98};
  const auto rate = [&](Prefetcher& feed, int round) {
    return kSlowSteps * 1e3 / run_epoch(feed, static_cast<std::uint64_t>(round), stream, compute, passes);
  };
  for (int round = 0; round < options.rounds; ++round) {
    pair.limit.push_back(rate(feed_without, round));
    pair.ours.push_back(rate(feed_with, round));
  }
  return pair;
}

}  // namespace leat::bench
