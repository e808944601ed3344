// Implementation of the geometry transforms. They edit a Canvas before anything is decoded.
#pragma once

#include <optional>

#include "leat/datasets/image/resample/canvas.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// apply() edits the canvas. It throws ArgumentError that names the sizes if the transform does not fit the image.
// output_size() returns the output size for images of size `input`, or nullopt if it depends on the image.
void apply(const Resize& resize, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const Resize& resize, std::optional<Size> input);

void apply(const CenterCrop& crop, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const CenterCrop& crop, std::optional<Size> input);

void apply(const RandomCrop& crop, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const RandomCrop& crop, std::optional<Size> input);

void apply(const RandomResizedCrop& crop, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const RandomResizedCrop& crop, std::optional<Size> input);

void apply(const Pad& pad, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const Pad& pad, std::optional<Size> input);

void apply(const RandomHorizontalFlip& flip, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const RandomHorizontalFlip& flip, std::optional<Size> input);

void apply(const RandomVerticalFlip& flip, Canvas& canvas, Rng& rng);
std::optional<Size> output_size(const RandomVerticalFlip& flip, std::optional<Size> input);

}  // namespace leat::detail
