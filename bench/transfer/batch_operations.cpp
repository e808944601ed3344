#include <fmt/format.h>

#include "bench/transfer/cases.h"
#include "bench/transfer/device_rate.h"
#include "bench/transfer/image_rows.h"

namespace leat::bench {
namespace {

constexpr std::size_t kTokens = 1024;  // of a padded row
constexpr std::size_t kClasses = 1000;

DeviceBuffer zeros(const Stream& stream, std::size_t bytes) {
  Device& device = stream.ref().device();
  DeviceBuffer memory = device.allocate(bytes);
  device.fill_zero(memory.data(), bytes, stream);
  stream.ref().synchronize();
  return memory;
}

template <class T>
T* as(const DeviceBuffer& memory) {
  return reinterpret_cast<T*>(memory.data());
}

// Rows of 1 to kTokens tokens; each begins behind the one before.
Pair compare_padding(Device& device, const TransferOptions& options) {
  const Stream stream = device.make_stream();
  const std::size_t rows = options.batch_size * 64;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t row = 0; row < rows; ++row)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(row * 37 % kTokens + 1));
  const auto elements = static_cast<std::size_t>(offsets.back());
  const DeviceBuffer values = zeros(stream, elements * 4), to = zeros(stream, rows * kTokens * 4);
  const DeviceBuffer on_device = zeros(stream, offsets.size() * 8), mask = zeros(stream, rows * kTokens);
  device.copy(on_device.data(), offsets.data(), on_device.size(), stream);
  stream.ref().synchronize();
  const PadRagged pad{.to = to.data(),
                      .values = values.data(),
                      .offsets = as<std::int64_t>(on_device),
                      .mask = as<std::uint8_t>(mask),
                      .rows = rows,
                      .length = kTokens,
                      .elements = elements,
                      .dtype = DType::i32};
  return compare_with_copy(device, options, "padding of i32 rows, with mask",
                           (elements + rows * kTokens) * 4 + mask.size(),
                           [&](StreamRef on) { device.apply(pad, on); });
}

Pair compare_widening(Device& device, const TransferOptions& options) {
  const Stream stream = device.make_stream();
  const std::size_t count = options.batch_size * 64 * kTokens;
  const DeviceBuffer from = zeros(stream, count * 2), to = zeros(stream, count * 8);
  const Widen widen{.to = as<std::int64_t>(to), .from = from.data(), .dtype = DType::u16, .count = count};
  return compare_with_copy(device, options, "widening of u16", count * 10,
                           [&](StreamRef on) { device.apply(widen, on); });
}

Pair compare_targets(Device& device, const TransferOptions& options) {
  const Stream stream = device.make_stream();
  const std::size_t rows = options.batch_size * 64;
  const DeviceBuffer labels = zeros(stream, rows * 8), to = zeros(stream, rows * kClasses * 4);
  const OneHot one_hot{
      .to = as<float>(to), .labels = labels.data(), .rows = rows, .classes = kClasses, .smoothing = 0.1};
  return compare_with_copy(device, options, fmt::format("targets of {} classes", kClasses),
                           labels.size() + to.size(), [&](StreamRef on) { device.apply(one_hot, on); });
}

// Of each image, MixUp reads two and writes one; CutMix reads one and writes one.
std::vector<Pair> compare_mixing(Device& device, const TransferOptions& options, DType dtype) {
  const Stream stream = device.make_stream();
  const PixelShape shape{options.batch_size, kSide, kSide, kChannels};
  const std::size_t bytes = shape.count() * size_of(dtype);
  const DeviceBuffer from = zeros(stream, bytes), to = zeros(stream, bytes);
  const MixOperands batch{.mixed_images = to.data(), .images = from.data(), .shape = shape, .dtype = dtype};
  return {compare_with_copy(device, options, fmt::format("MixUp of {}", name_of(dtype)), 3 * bytes,
                            [&](StreamRef on) {
                              device.apply(MixUp{batch, 0.3}, on);
                            }),
          compare_with_copy(device, options, fmt::format("CutMix of {}", name_of(dtype)), 2 * bytes,
                            [&](StreamRef on) {
                              device.apply(CutMix{batch, {31, 47, 143, 159}}, on);
                            })};
}

}  // namespace

std::vector<Pair> compare_batch_operations(Device& device, const TransferOptions& options) {
  std::vector<Pair> pairs{compare_padding(device, options), compare_widening(device, options),
                          compare_targets(device, options)};
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (Pair& pair : compare_mixing(device, options, dtype)) pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace leat::bench
