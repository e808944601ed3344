#include "datasets/image/packed_weights.h"

#include <algorithm>

#include "datasets/image/image.h"
#include "loader/base/checked.h"

namespace leat {

void PackedWeights::pack(const Coefficients& coefficients) {
  groups_ = divide_up(static_cast<std::size_t>(coefficients.max_taps()), kWeightGroup);
  pixels_ = align_up(static_cast<std::size_t>(coefficients.size()), kWeightGroup);
  offsets_.assign(pixels_, 0);
  weights_.assign(checked_multiply(checked_multiply(pixels_, groups_), kWeightGroup), 0);

  const PixelRange source = coefficients.source();
  // Pixels at the far end have few taps; the rest of their groups is put before these, not behind the row.
  const int last_start = std::max(source.last - static_cast<int>(groups_ * kWeightGroup), source.first);
  for (int x = 0; x < coefficients.size(); ++x) {
    const Coefficients::Taps taps = coefficients[x];
    const int start = std::min(taps.first, last_start);
    offsets_[static_cast<std::size_t>(x)] = (start - source.first) * kChannels;
    put(static_cast<std::size_t>(x), static_cast<std::size_t>(taps.first - start), taps);
  }
}

void PackedWeights::put(std::size_t pixel, std::size_t skipped, const Coefficients::Taps& taps) {
  std::size_t k = skipped;
  for (const std::int32_t weight : taps.weights) {
    weights_[(k / kWeightGroup * pixels_ + pixel) * kWeightGroup + k % kWeightGroup] = weight;
    ++k;
  }
}

}  // namespace leat
