// Weights in the order in which weigh_row() takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/datasets/image/resample/resample_kernels.h"

namespace leat::test {

using namespace leat::detail;

// Of weights[tap * pixels + position].
inline std::vector<std::int32_t> packed_pairs(const std::vector<std::int32_t>& weights, std::size_t pixels,
                                              std::size_t taps) {
  std::vector<std::int32_t> packed;
  for (std::size_t k = 0; k < taps; k += 2) {
    std::vector<std::int32_t> low;
    for (std::size_t p = 0; p < pixels; ++p) {
      const std::int32_t second = k + 1 < taps ? weights[(k + 1) * pixels + p] : 0;
      const WeightPair pair = weight_pair(weights[k * pixels + p], second);
      packed.insert(packed.end(), kWeightCopies, pair.high);
      low.insert(low.end(), kWeightCopies, pair.low);
    }
    packed.insert(packed.end(), low.begin(), low.end());
  }
  return packed;
}

}  // namespace leat::test
