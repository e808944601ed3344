// Decodes and transforms a stored image, a file or pixels, into a row of a batch.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/decode_options.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/pixel_stage.h"
#include "leat/datasets/image/resample/resample.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Keeps its working memory: use one ImageLoader per thread for all images. Not thread-safe.
class ImageLoader {
 public:
  // The calling thread's own ImageLoader.
  static ImageLoader& of_this_thread();

  // Draws the transforms' random numbers, decodes the part of the image that they need, and writes the result to
  // `out`. The pipeline must produce the size of `out`. Returns the defects found in the part that was read. Throws
  // DataError without a file name on bad JPEG or PNG data, and ArgumentError if the transforms cannot handle the
  // image.
  DecodeWarnings load(std::span<const std::byte> file, const TransformPipeline& transforms,
                      const DecodeOptions& options, Rng& rng, const PixelOutput& out);

  // The same for decoded pixels. Equal pixels give equal output bytes.
  void load(ImageView pixels, const TransformPipeline& transforms, Rng& rng, const PixelOutput& out);

 private:
  void load_upright(int reduction, const PixelOutput& out);
  void load_turned(int reduction, const PixelOutput& out);

  ImageDecoder decoder_;
  Resampler resampler_;
  PixelStage stage_;
  Image turned_;
};

}  // namespace leat::detail
