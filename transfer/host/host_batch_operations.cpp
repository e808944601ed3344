#include "leat/transfer/host/host_batch_operations.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "leat/transfer/host/host_mixing.h"

namespace leat::detail {
namespace {

// Returns how many elements of a row are copied; -1 if the row cannot be copied.
std::int64_t copied_elements(const PadRagged& pad, std::size_t row) noexcept {
  const std::int64_t begin = pad.offsets[row];
  const std::int64_t end = pad.offsets[row + 1];
  if (begin < 0 || end < begin || static_cast<std::size_t>(end) > pad.elements) return -1;
  const auto length = static_cast<std::size_t>(end - begin);
  if (length > pad.length && !pad.truncate) return -1;
  return static_cast<std::int64_t>(std::min(length, pad.length));
}

// T is an unsigned integer of the values' size.
template <class T>
void pad_as(const PadRagged& pad) noexcept {
  const auto* const values = static_cast<const T*>(pad.values);
  auto* to = static_cast<T*>(pad.to);
  T fill{};
  std::memcpy(&fill, pad.fill.bytes().data(), sizeof fill);
  for (std::size_t row = 0; row < pad.rows; ++row) {
    const std::int64_t copied = copied_elements(pad, row);
    const auto real = static_cast<std::size_t>(std::max<std::int64_t>(copied, 0));
    if (real > 0) {
      const auto first = static_cast<std::size_t>(pad.offsets[row]);
      to = std::copy_n(values + first * pad.values_per_element, real * pad.values_per_element, to);
    }
    to = std::fill_n(to, (pad.length - real) * pad.values_per_element, fill);
    if (pad.lengths != nullptr) pad.lengths[row] = copied;
    if (pad.mask != nullptr) {
      std::uint8_t* const mask = pad.mask + row * pad.length;
      std::fill_n(mask, real, std::uint8_t{1});
      std::fill_n(mask + real, pad.length - real, std::uint8_t{0});
    }
  }
}

void run(const PadRagged& pad) noexcept {
  switch (size_of(pad.dtype)) {
    case 1:
      return pad_as<std::uint8_t>(pad);
    case 2:
      return pad_as<std::uint16_t>(pad);
    case 4:
      return pad_as<std::uint32_t>(pad);
    default:
      return pad_as<std::uint64_t>(pad);
  }
}

template <class T>
void widen_from(const Widen& widen) noexcept {
  std::copy_n(static_cast<const T*>(widen.from), widen.count, widen.to);
}

void run(const Widen& widen) noexcept {
  switch (widen.dtype) {
    case DType::u8:
      return widen_from<std::uint8_t>(widen);
    case DType::u16:
      return widen_from<std::uint16_t>(widen);
    case DType::u32:
      return widen_from<std::uint32_t>(widen);
    default:
      return widen_from<std::int32_t>(widen);
  }
}

template <class T>
void one_hot_of(const OneHot& one_hot) noexcept {
  const auto* const labels = static_cast<const T*>(one_hot.labels);
  const float on = one_hot.on();
  const float off = one_hot.off();
  for (std::size_t row = 0; row < one_hot.rows; ++row) {
    float* const to = one_hot.to + row * one_hot.classes;
    const auto label = static_cast<std::int64_t>(labels[row]);
    const bool is_class = label >= 0 && static_cast<std::size_t>(label) < one_hot.classes;
    std::fill_n(to, one_hot.classes, is_class ? off : std::numeric_limits<float>::quiet_NaN());
    if (is_class) to[label] = on;
  }
}

void run(const OneHot& one_hot) noexcept {
  switch (one_hot.dtype) {
    case DType::u8:
      return one_hot_of<std::uint8_t>(one_hot);
    case DType::u16:
      return one_hot_of<std::uint16_t>(one_hot);
    case DType::i32:
      return one_hot_of<std::int32_t>(one_hot);
    default:
      return one_hot_of<std::int64_t>(one_hot);
  }
}

void run(const MixUp& mix) noexcept {
  mix_on_host(mix);
}
void run(const CutMix& mix) noexcept {
  mix_on_host(mix);
}

}  // namespace

void apply_on_host(const BatchOperation& operation) noexcept {
  std::visit([](const auto& each) { run(each); }, operation);
}

}  // namespace leat::detail
