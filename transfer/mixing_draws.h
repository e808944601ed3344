/// \file
/// Random parameters of MixUp and CutMix. The host draws them, once per batch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/datasets/export.h"
#include "leat/datasets/rng.h"
#include "leat/transfer/batch_operations.h"

namespace leat {

/// Random parameters of one MixUp.
struct LEAT_EXPORT MixUpDraw {
  double lambda = 1;  ///< for MixUp::lambda
};

/// Random parameters of one CutMix.
struct LEAT_EXPORT CutMixDraw {
  PixelBox box{};  ///< for CutMix::box
};

/// Returns the generator for the mixing of a batch, number `batch` of its epoch. `seed` may be the loader's: these
/// numbers are others than those that its samples and its order are drawn from. Only the low 32 bits of `epoch` are
/// used.
LEAT_EXPORT Rng mixing_rng(std::uint64_t seed, std::uint64_t epoch, std::uint64_t batch) noexcept;

/// Returns a number in [0, 1] from the distribution Beta(alpha, alpha), the same on every platform. Draws as many
/// numbers as it takes. Throws ArgumentError if alpha is not within [1e-6, 1e6].
///
/// Sources: Jöhnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8, 1964, for alpha up to
/// 1; Cheng, "Generating Beta Variates with Nonintegral Shape Parameters", CACM 21(4), 1978, algorithm BB, for larger
/// ones.
LEAT_EXPORT double draw_beta(Rng& rng, double alpha);

/// Draws lambda from Beta(alpha, alpha). Throws what draw_beta() throws.
LEAT_EXPORT MixUpDraw draw_mixup(Rng& rng, double alpha);

/// Draws the box as torchvision.transforms.v2.CutMix does: lambda from Beta(alpha, alpha), the center from all pixels,
/// and sides of sqrt(1 - lambda) of the image's, cut off at its edges. Throws what draw_beta() throws, and
/// ArgumentError if the image has no pixels.
LEAT_EXPORT CutMixDraw draw_cutmix(Rng& rng, double alpha, std::size_t height, std::size_t width);

}  // namespace leat
