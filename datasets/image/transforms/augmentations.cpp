#include "leat/datasets/image/transforms/augmentations.h"

#include <cmath>
#include <numbers>

namespace leat::detail {

namespace {

// Element `i` of torch.linspace(start, end, steps): computed in float, from the nearer end.
double linspace(double start, double end, int steps, int i) {
  const float first = static_cast<float>(start), last = static_cast<float>(end);
  const float step = (last - first) / static_cast<float>(steps - 1);
  if (i < steps / 2) return first + step * static_cast<float>(i);
  return last - step * static_cast<float>(steps - 1 - i);
}

double posterize_bits(int bin, int bins) {
  const auto quarter = static_cast<float>((bins - 1) / 4.0);
  return 8 - std::nearbyint(static_cast<float>(bin) / quarter);
}

// Converts to degrees and back, since torchvision passes a shear in degrees.
double tangent_of_shear(double magnitude) {
  const double degrees = std::atan(magnitude) * (180 / std::numbers::pi);
  return std::tan(degrees * (std::numbers::pi / 180));
}

// Pillow's Image.rotate about the center: counter-clockwise, with sine and cosine rounded to 15 digits.
AffineMatrix rotation(double degrees, Size image) {
  const double turn = std::fmod(degrees, 360.0);
  const double angle = -(turn < 0 ? turn + 360 : turn) * (std::numbers::pi / 180);
  const auto rounded = [](double value) { return std::nearbyint(value * 1e15) / 1e15; };
  const double a = rounded(std::cos(angle)), b = rounded(std::sin(angle)), d = rounded(-std::sin(angle));
  const double x = image.width / 2.0, y = image.height / 2.0;
  return {a, b, a * -x + b * -y + x, d, a, d * -x + a * -y + y};
}

}  // namespace

double magnitude_of(Augmentation what, int bin, int bins, Size image) {
  constexpr double kMostShift = 150.0 / 331.0;  // as a fraction of an edge
  switch (what) {
    case Augmentation::shear_x:
    case Augmentation::shear_y:
      return linspace(0, 0.3, bins, bin);
    case Augmentation::translate_x:
      return linspace(0, kMostShift * image.width, bins, bin);
    case Augmentation::translate_y:
      return linspace(0, kMostShift * image.height, bins, bin);
    case Augmentation::rotate:
      return linspace(0, 30, bins, bin);
    case Augmentation::brightness:
    case Augmentation::color:
    case Augmentation::contrast:
    case Augmentation::sharpness:
      return linspace(0, 0.9, bins, bin);
    case Augmentation::posterize:
      return posterize_bits(bin, bins);
    case Augmentation::solarize:
      return linspace(255, 0, bins, bin);
    case Augmentation::identity:
    case Augmentation::auto_contrast:
    case Augmentation::equalize:
      break;
  }
  return 0;
}

bool has_sign(Augmentation what) noexcept {
  return what >= Augmentation::shear_x && what <= Augmentation::sharpness;
}

std::optional<PixelEdit> edit_of(Augmentation what, double magnitude, Size image, Rgb fill) {
  switch (what) {
    case Augmentation::shear_x:
      return edit::Affine{{1, tangent_of_shear(magnitude), 0, 0, 1, 0}, fill};
    case Augmentation::shear_y:
      return edit::Affine{{1, 0, 0, tangent_of_shear(magnitude), 1, 0}, fill};
    case Augmentation::translate_x:
      return edit::Affine{{1, 0, -std::trunc(magnitude), 0, 1, 0}, fill};
    case Augmentation::translate_y:
      return edit::Affine{{1, 0, 0, 0, 1, -std::trunc(magnitude)}, fill};
    case Augmentation::rotate:
      return edit::Affine{rotation(magnitude, image), fill};
    case Augmentation::brightness:
      return edit::Brightness{1 + magnitude};
    case Augmentation::color:
      return edit::Saturation{1 + magnitude};
    case Augmentation::contrast:
      return edit::Contrast{1 + magnitude};
    case Augmentation::sharpness:
      return edit::Sharpness{1 + magnitude};
    case Augmentation::posterize:
      return edit::Posterize{static_cast<int>(magnitude)};
    case Augmentation::solarize:
      return edit::Solarize{static_cast<int>(std::ceil(magnitude))};  // integers >= x are those >= ceil(x)
    case Augmentation::auto_contrast:
      return edit::AutoContrast{};
    case Augmentation::equalize:
      return edit::Equalize{};
    case Augmentation::identity:
      break;
  }
  return std::nullopt;
}

}  // namespace leat::detail
