// The operations of RandAugment (Cubuk, Zoph, Shlens, Le, "RandAugment: Practical automated data augmentation with a
// reduced search space", 2020), with torchvision's magnitudes.
#pragma once

#include <optional>

#include "leat/datasets/image/pixels/pixel_edits.h"

namespace leat::detail {

enum class Augmentation {  // in torchvision's order, which a drawn index refers to
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

// The magnitude of bin `bin` of `bins`. Depending on the operation, this is a tangent, pixels, degrees, a value that
// is added to a factor of 1, bits, or a threshold. It is 0 for operations without a magnitude. Linear in the bin,
// computed in float, as torch.linspace.
double magnitude_of(Augmentation what, int bin, int bins, Size image);

// Whether the sign of the magnitude is drawn.
bool has_sign(Augmentation what) noexcept;

// The edit of an operation. Nullopt for the identity. Parts of the result that the image does not cover get the color
// `fill`.
std::optional<PixelEdit> edit_of(Augmentation what, double magnitude, Size image, Rgb fill);

}  // namespace leat::detail
