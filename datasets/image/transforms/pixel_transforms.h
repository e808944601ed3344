// Implementation of the pixel transforms. They plan edits of the image that the geometry transforms produce.
#pragma once

#include "leat/datasets/image/pixels/pixel_edits.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Each function draws random numbers and appends edits for an image of size `image`.
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
