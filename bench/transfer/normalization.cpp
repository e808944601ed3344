#include <fmt/format.h>

#include <algorithm>

#include "bench/figure.h"
#include "bench/transfer/cases.h"
#include "bench/transfer/image_rows.h"

namespace leat::bench {
namespace {

constexpr std::size_t kLaunches = 50;

// Returns the GB read and written per second by kLaunches calls of `launch`.
double rate(const Stream& stream, std::size_t bytes, const std::function<void()>& launch) {
  const double ms = milliseconds_of([&] {
    for (std::size_t i = 0; i < kLaunches; ++i) launch();
    stream.ref().synchronize();
  });
  return static_cast<double>(kLaunches * bytes) / ms / 1e6;
}

Pair compare(Device& device, const TransferOptions& options, const Normalization& how) {
  const PixelShape shape{options.batch_size, kSide, kSide, kChannels};
  const std::size_t in = shape.count(), out = in * size_of(how.dtype);
  const Stream stream = device.make_stream();
  const DeviceBuffer from = device.allocate(in), to = device.allocate(out);
  const std::size_t half = (in + out) / 2;  // a copy reads as much as it writes
  const DeviceBuffer source = device.allocate(half), target = device.allocate(half);
  device.fill_zero(from.data(), in, stream);
  device.fill_zero(source.data(), half, stream);
  Pair pair{.name = fmt::format("normalization to {}, {}", name_of(how.dtype),
                                how.layout == PixelLayout::nchw ? "NCHW" : "NHWC"),
            .unit = "GB/s",
            .target = 0.8};
  for (int round = -1; round < options.rounds; ++round) {
    const double limit =
        rate(stream, 2 * half, [&] { device.copy(target.data(), source.data(), half, stream); });
    const double ours = rate(stream, in + out, [&] {
      device.normalize(to.data(), reinterpret_cast<const std::uint8_t*>(from.data()), shape, how, stream);
    });
    if (round < 0) continue;
    pair.limit.push_back(limit);
    pair.ours.push_back(ours);
  }
  return pair;
}

}  // namespace

std::vector<Pair> compare_normalization(Device& device, const TransferOptions& options) {
  std::vector<Pair> pairs;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const PixelLayout layout : {PixelLayout::nchw, PixelLayout::nhwc})
      pairs.push_back(compare(device, options, {.dtype = dtype, .layout = layout}));
  }
  return pairs;
}

}  // namespace leat::bench
