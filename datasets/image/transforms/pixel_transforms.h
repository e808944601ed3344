// What transforms of pixels do: they say what is to be done to the image that the geometry makes.
#pragma once

#include "leat/datasets/image/pixels/pixel_edits.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Each appends what is to be done to an image of that size.
void draw(const ColorJitter& jitter, Size image, Rng& rng, PixelEdits& edits);
void draw(const Grayscale& grayscale, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomGrayscale& grayscale, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomInvert& invert, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomPosterize& posterize, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomSolarize& solarize, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomAutocontrast& autocontrast, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomEqualize& equalize, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomAdjustSharpness& sharpness, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandAugment& augment, Size image, Rng& rng, PixelEdits& edits);
void draw(const RandomErasing& erasing, Size image, Rng& rng, PixelEdits& edits);

}  // namespace leat::detail
