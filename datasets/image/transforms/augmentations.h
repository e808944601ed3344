// The operations of RandAugment (Cubuk, Zoph, Shlens, Le, "RandAugment: Practical automated data augmentation with a
// reduced search space", 2020), with torchvision's magnitudes.
#pragma once

#include <optional>

#include "leat/datasets/image/pixels/pixel_edits.h"

namespace leat::detail {

enum class Augmentation {  // in torchvision's order, which is what an index draws
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  auto_contrast,
  equalize,
};
inline constexpr int kAugmentations = 14;

// How strong bin `bin` of `bins` is: a tangent, pixels, degrees, what is added to a factor of 1, bits, a threshold; 0
// of those that know no strength. Linear in the bin, in float, as torch.linspace.
double magnitude_of(Augmentation what, int bin, int bins, Size image);

// Whether the sign of its magnitude is drawn.
bool has_sign(Augmentation what) noexcept;

// Nullopt for the identity. What the image leaves free of itself is filled.
std::optional<PixelEdit> edit_of(Augmentation what, double magnitude, Size image, Rgb fill);

}  // namespace leat::detail
