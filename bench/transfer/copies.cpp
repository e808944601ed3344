#include <array>

#include "bench/figure.h"
#include "bench/transfer/cases.h"
#include "bench/transfer/image_rows.h"
#include "bench/transfer/page_locked.h"
#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"

namespace leat::bench {

using namespace detail;

namespace {

constexpr std::size_t kSources = 4, kTargets = 2;

// Asynchronous copies from page-locked memory, one after the other.
class BareCopies {
 public:
  BareCopies(Device& device, std::size_t bytes)
      : device_(device), bytes_(bytes), stream_(device.make_stream()), sources_(device, kSources * bytes) {
    for (DeviceBuffer& target : targets_) target = device.allocate(bytes);
  }

  double gigabytes_per_second(std::size_t batches) {
    const double ms = milliseconds_of([&] {
      for (std::size_t i = 0; i < batches; ++i) {
        device_.copy(targets_[i % kTargets].data(), sources_.data() + i % kSources * bytes_, bytes_, stream_);
      }
      stream_.ref().synchronize();
    });
    return static_cast<double>(batches * bytes_) / ms / 1e6;
  }

 private:
  Device& device_;
  std::size_t bytes_;
  Stream stream_;
  PageLocked sources_;
  std::array<DeviceBuffer, kTargets> targets_;
};

Pair compare(Device& device, const TransferOptions& options, ImageRows::Pixels pixels, Pair pair) {
  const ImageRows dataset(options.batch_size * options.batches, pixels);
  DataLoader loader(dataset, {.batch_size = options.batch_size, .num_workers = options.workers});
  const Stream stream = device.make_stream();
  Prefetcher feed(loader, device);
  const std::size_t bytes = options.batch_size * (kImageBytes + sizeof(std::int64_t));
  BareCopies bare(device, bytes);
  for (int round = -1; round < options.rounds; ++round) {
    const double limit = bare.gigabytes_per_second(options.batches);
    const double ms = milliseconds_of([&] {
      for (const DeviceBatch& batch : feed.epoch(static_cast<std::uint64_t>(round) + 1, stream)) (void)batch;
      stream.ref().synchronize();
    });
    if (round < 0) continue;  // the first pass only touches the memory
    pair.limit.push_back(limit);
    pair.ours.push_back(static_cast<double>(options.batches * bytes) / ms / 1e6);
  }
  return pair;
}

}  // namespace

std::vector<Pair> compare_copies(Device& device, const TransferOptions& options) {
  return {compare(device, options, ImageRows::Pixels::left,
                  {.name = "copies, samples that cost nothing", .unit = "GB/s", .target = 0.95}),
          compare(device, options, ImageRows::Pixels::written,
                  {.name = "copies, samples that are written", .unit = "GB/s"})};
}

}  // namespace leat::bench
