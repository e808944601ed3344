#include <fmt/format.h>

#include "bench/transfer/cases.h"
#include "bench/transfer/device_rate.h"
#include "bench/transfer/image_rows.h"

namespace leat::bench {
namespace {

Pair compare(Device& device, const TransferOptions& options, const Normalization& how, bool mirrors) {
  const PixelShape shape{options.batch_size, kSide, kSide, kChannels};
  const std::size_t in = shape.count(), out = in * size_of(how.dtype);
  const Stream stream = device.make_stream();
  const DeviceBuffer from = device.allocate(in), to = device.allocate(out);
  const DeviceBuffer flipped = device.allocate(shape.n);
  std::vector<std::uint8_t> flips(shape.n);
  for (std::size_t n = 0; n < shape.n; n += 2) flips[n] = 1;
  device.fill_zero(from.data(), in, stream);
  device.copy(flipped.data(), flips.data(), shape.n, stream);
  stream.ref().synchronize();
  const auto* const flipped_rows = mirrors ? reinterpret_cast<const std::uint8_t*>(flipped.data()) : nullptr;
  const std::string name =
      fmt::format("normalization to {}, {}{}", name_of(how.dtype),
                  how.layout == PixelLayout::nchw ? "NCHW" : "NHWC", mirrors ? ", mirrored" : "");
  return compare_with_copy(device, options, name, in + out, [&](StreamRef on) {
    device.normalize(to.data(), reinterpret_cast<const std::uint8_t*>(from.data()), shape, how, on,
                     flipped_rows);
  });
}

}  // namespace

std::vector<Pair> compare_normalization(Device& device, const TransferOptions& options) {
  std::vector<Pair> pairs;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const PixelLayout layout : {PixelLayout::nchw, PixelLayout::nhwc}) {
      for (const bool mirrors : {false, true})
        pairs.push_back(compare(device, options, {.dtype = dtype, .layout = layout}, mirrors));
    }
  }
  return pairs;
}

}  // namespace leat::bench
