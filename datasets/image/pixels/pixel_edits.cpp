#include "leat/datasets/image/pixels/pixel_edits.h"

#include <cstring>

#include "leat/datasets/image/pixels/blend.h"
#include "leat/datasets/image/pixels/grayscale.h"
#include "leat/datasets/image/pixels/hue.h"
#include "leat/datasets/image/pixels/tables.h"

namespace leat::detail {

namespace {

struct Editor {
  MutableImageView pixels;
  Image& scratch;

  void operator()(const edit::Brightness& how) const { adjust_brightness(pixels, how.factor); }
  void operator()(const edit::Contrast& how) const { adjust_contrast(pixels, how.factor); }
  void operator()(const edit::Saturation& how) const { adjust_saturation(pixels, how.factor); }
  void operator()(const edit::Sharpness& how) const { adjust_sharpness(pixels, how.factor, scratch); }
  void operator()(const edit::Hue& how) const { adjust_hue(pixels, how.shift); }
  void operator()(const edit::Grayscale&) const { to_grayscale(pixels); }
  void operator()(const edit::Invert&) const { invert(pixels); }
  void operator()(const edit::Posterize& how) const { posterize(pixels, how.bits); }
  void operator()(const edit::Solarize& how) const { solarize(pixels, how.threshold); }
  void operator()(const edit::AutoContrast&) const { auto_contrast(pixels); }
  void operator()(const edit::Equalize&) const { equalize(pixels); }

  void operator()(const edit::Affine& how) const {
    scratch.resize(pixels.size);
    const MutableImageView copy = scratch.view();
    for (int y = 0; y < pixels.size.height; ++y) std::memcpy(copy.row(y), pixels.row(y), pixels.row_bytes());
    affine(copy, pixels, how.matrix, how.fill);
  }

  void operator()(const edit::Erase& how) const {
    const auto& [left, top, size] = how.box;
    for (int y = top; y < top + size.height; ++y) fill_run(pixels.pixel(left, y), size.width, how.value);
  }
};

}  // namespace

void apply(const PixelEdit& what, MutableImageView pixels, Image& scratch) {
  std::visit(Editor{pixels, scratch}, what);
}

}  // namespace leat::detail
