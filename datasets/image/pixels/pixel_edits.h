// Edits of an image's pixels, with all random numbers drawn. Edits are values, so a plan can be inspected.
#pragma once

#include <variant>
#include <vector>

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixels/affine.h"

namespace leat::detail {

namespace edit {

// Factors are documented in pixels/blend.h. The other parameters are those of the functions with the same names in
// pixels/.
struct Brightness {
  double factor;
};
struct Contrast {
  double factor;
};
struct Saturation {
  double factor;
};
struct Sharpness {
  double factor;
};
struct Hue {
  double shift;
};
struct Grayscale {};
struct Invert {};
struct Posterize {
  int bits;
};
struct Solarize {
  int threshold;
};
struct AutoContrast {};
struct Equalize {};
struct Affine {
  AffineMatrix matrix;
  Rgb fill;
};
struct Erase {
  Box box;  // within the image
  Rgb value;
};

}  // namespace edit

using PixelEdit = std::variant<edit::Brightness, edit::Contrast, edit::Saturation, edit::Sharpness, edit::Hue,
                               edit::Grayscale, edit::Invert, edit::Posterize, edit::Solarize,
                               edit::AutoContrast, edit::Equalize, edit::Affine, edit::Erase>;
using PixelEdits = std::vector<PixelEdit>;  // applied in order

// Edits the pixels in place. `scratch` is resized as needed.
void apply(const PixelEdit& what, MutableImageView pixels, Image& scratch);

}  // namespace leat::detail
