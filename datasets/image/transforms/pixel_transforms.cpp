#include "leat/datasets/image/transforms/pixel_transforms.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "leat/datasets/image/transforms/augmentations.h"
#include "leat/datasets/image/transforms/random_box.h"

namespace leat::detail {

namespace {

void draw_edit(double p, const PixelEdit& edit, Rng& rng, PixelEdits& edits) {
  if (rng.bernoulli(p)) edits.push_back(edit);
}

}  // namespace

void draw(const ColorJitter& jitter, Size, Rng& rng, PixelEdits& edits) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  for (std::size_t place = order.size() - 1; place > 0; --place) {
    std::swap(order[place], order[static_cast<std::size_t>(rng.below(place + 1))]);
  }
  std::array<std::optional<PixelEdit>, 4> drawn;
  const auto from = [&](Interval interval) { return rng.uniform(interval.low, interval.high); };
  if (jitter.brightness) drawn[0] = edit::Brightness{from(*jitter.brightness)};
  if (jitter.contrast) drawn[1] = edit::Contrast{from(*jitter.contrast)};
  if (jitter.saturation) drawn[2] = edit::Saturation{from(*jitter.saturation)};
  if (jitter.hue) drawn[3] = edit::Hue{from(*jitter.hue)};
  for (const std::size_t which : order) {
    if (drawn[which]) edits.push_back(*drawn[which]);
  }
}

void draw(const Grayscale&, Size, Rng&, PixelEdits& edits) {
  edits.push_back(edit::Grayscale{});
}

void draw(const RandomGrayscale& grayscale, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(grayscale.p, edit::Grayscale{}, rng, edits);
}

void draw(const RandomInvert& invert, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(invert.p, edit::Invert{}, rng, edits);
}

void draw(const RandomPosterize& posterize, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(posterize.p, edit::Posterize{posterize.bits}, rng, edits);
}

void draw(const RandomSolarize& solarize, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(solarize.p, edit::Solarize{solarize.threshold}, rng, edits);
}

void draw(const RandomAutocontrast& autocontrast, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(autocontrast.p, edit::AutoContrast{}, rng, edits);
}

void draw(const RandomEqualize& equalize, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(equalize.p, edit::Equalize{}, rng, edits);
}

void draw(const RandomAdjustSharpness& sharpness, Size, Rng& rng, PixelEdits& edits) {
  draw_edit(sharpness.p, edit::Sharpness{sharpness.sharpness_factor}, rng, edits);
}

void draw(const RandAugment& augment, Size image, Rng& rng, PixelEdits& edits) {
  for (int i = 0; i < augment.num_ops; ++i) {
    const auto what = static_cast<Augmentation>(rng.below(kAugmentations));
    const double magnitude = magnitude_of(what, augment.magnitude, augment.num_magnitude_bins, image);
    const bool negative = has_sign(what) && rng.below(2) == 1;
    if (const auto edit = edit_of(what, negative ? -magnitude : magnitude, image, augment.fill))
      edits.push_back(*edit);
  }
}

void draw(const RandomErasing& erasing, Size image, Rng& rng, PixelEdits& edits) {
  if (!rng.bernoulli(erasing.p)) return;
  constexpr int kTries = 10;
  const Interval log_ratio{std::log(erasing.ratio.low), std::log(erasing.ratio.high)};
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto [height, width] = random_edges(image, erasing.scale, log_ratio, rng);
    if (!(height < image.height && width < image.width)) continue;
    const Size size{static_cast<int>(width), static_cast<int>(height)};
    edits.push_back(edit::Erase{random_place(size, image, rng), erasing.value});
    return;
  }
}

}  // namespace leat::detail
