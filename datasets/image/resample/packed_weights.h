// Coefficients in the order in which the kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/resample/coefficients.h"
#include "leat/datasets/image/resample/resample_kernels.h"

namespace leat::detail {

// Packs coefficients for weigh_row(). Memory is reused from one pack() to the next.
class PackedWeights {
 public:
  // The weights are for rows whose first pixel is column source().first of `coefficients`. The kernel reads less than
  // kKernelPadding bytes beyond the row's last pixel.
  void pack(const Coefficients& coefficients);

  RowWeights view() const noexcept { return {offsets_.data(), weights_.data(), taps_, pixels_}; }
  // Number of bytes that the kernel writes.
  std::size_t output_bytes() const noexcept { return pixels_ * kChannels + kKernelPadding; }

 private:
  void put(std::size_t position, std::size_t first_tap, const Coefficients::Taps& taps);

  std::size_t taps_ = 0;
  std::size_t pixels_ = 0;
  std::vector<std::int32_t> offsets_;
  std::vector<std::int32_t> weights_;
};

}  // namespace leat::detail
