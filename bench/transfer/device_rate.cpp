#include "bench/transfer/device_rate.h"

#include <utility>

#include "bench/figure.h"

namespace leat::bench {
namespace {

constexpr std::size_t kLaunches = 50;

double rate(const Stream& stream, std::size_t bytes, const std::function<void()>& launch) {
  const double ms = milliseconds_of([&] {
    for (std::size_t i = 0; i < kLaunches; ++i) launch();
    stream.ref().synchronize();
  });
  return static_cast<double>(kLaunches * bytes) / ms / 1e6;
}

}  // namespace

Pair compare_with_copy(Device& device, const TransferOptions& options, std::string name, std::size_t bytes,
                       const std::function<void(StreamRef stream)>& launch) {
  const Stream stream = device.make_stream();
  const std::size_t half = bytes / 2;  // a copy reads as much as it writes
  const DeviceBuffer source = device.allocate(half), target = device.allocate(half);
  device.fill_zero(source.data(), half, stream);
  Pair pair{.name = std::move(name), .unit = "GB/s", .target = 0.8};
  for (int round = -1; round < options.rounds; ++round) {
    const double limit =
        rate(stream, 2 * half, [&] { device.copy(target.data(), source.data(), half, stream); });
    const double ours = rate(stream, bytes, [&] { launch(stream); });
    if (round < 0) continue;
    pair.limit.push_back(limit);
    pair.ours.push_back(ours);
  }
  return pair;
}

}  // namespace leat::bench
