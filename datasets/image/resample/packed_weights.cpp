#include "leat/datasets/image/resample/packed_weights.h"

#include <algorithm>

#include "leat/datasets/base/checked.h"

namespace leat::detail {

void PackedWeights::pack(const Coefficients& coefficients) {
  taps_ = static_cast<std::size_t>(coefficients.max_taps());
  pixels_ = align_up(static_cast<std::size_t>(coefficients.size()), kPixelGroup);
  offsets_.assign(pixels_, 0);
  weights_.assign(checked_multiply(checked_multiply(pixels_, align_up(taps_, 2)), kWeightCopies), 0);

  const PixelRange source = coefficients.source();
  // Pixels at the far end have fewer taps. Their missing taps are added in front, since they would lie beyond the
  // row's end.
  const int last_start = source.last - coefficients.max_taps();
  for (int x = 0; x < coefficients.size(); ++x) {
    const Coefficients::Taps taps = coefficients[x];
    const int start = std::min(taps.first, last_start);
    const std::size_t position = weight_position(static_cast<std::size_t>(x));
    offsets_[position] = (start - source.first) * kChannels;
    put(position, static_cast<std::size_t>(taps.first - start), taps);
  }
}

void PackedWeights::put(std::size_t position, std::size_t first_tap, const Coefficients::Taps& taps) {
  const auto weight = [&](std::size_t tap) {
    return tap >= first_tap && tap - first_tap < taps.weights.size() ? taps.weights[tap - first_tap] : 0;
  };
  const std::size_t next = pixels_ * kWeightCopies;
  std::int32_t* to = weights_.data() + position * kWeightCopies;
  for (std::size_t tap = 0; tap < taps_; tap += 2, to += 2 * next) {
    const WeightPair pair = weight_pair(weight(tap), weight(tap + 1));
    std::fill_n(to, kWeightCopies, pair.high);
    std::fill_n(to + next, kWeightCopies, pair.low);
  }
}

}  // namespace leat::detail
