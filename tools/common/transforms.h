// The transforms by which the programs prepare images.
#pragma once

#include "leat/datasets/transforms.h"
#include "leat/transfer/prefetcher.h"

namespace leat::tools {

// Returns a random crop of at least `min_area` of the image, resized to size x size, and a flip with probability 1/2.
TransformPipeline training_transforms(int size, double min_area = 0.08);

// Returns a resize of the short side to size * `resize`, and a center crop of size x size. 8/7 gives 256 for 224.
TransformPipeline test_transforms(int size, double resize = 8.0 / 7.0);

// Returns the normalization by the workers, with ImageNet's mean and standard deviation.
Normalize normalize_images();

// Returns options that normalize the field "image" on the device to f32 [3, size, size] with ImageNet's mean and
// standard deviation.
PrefetcherOptions normalized_images();

}  // namespace leat::tools
