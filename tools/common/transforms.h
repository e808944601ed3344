// How the programs prepare images.
#pragma once

#include "leat/datasets/transforms.h"
#include "leat/transfer/prefetcher.h"

namespace leat::tools {

// Random crop of at least `min_area` of the image, resized to size x size, and a flip with probability 1/2.
TransformPipeline training_transforms(int size, double min_area = 0.08);

// The short side resized to size * `resize`, and the middle size x size of that. 8/7 is 256 for 224.
TransformPipeline test_transforms(int size, double resize = 8.0 / 7.0);

// Pixels normalized with ImageNet's mean and deviation, in the workers.
Normalize normalize_images();

// The field "image" normalized on the device to f32 [3, size, size] with ImageNet's mean and deviation.
PrefetcherOptions normalized_images();

}  // namespace leat::tools
