// From a stored image, the bytes of a file or pixels, to the pixels of a batch's row.
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

// Keeps the memory it works in: one for each thread, for all images. Not thread-safe.
class ImageLoader {
 public:
  // The calling thread's own.
  static ImageLoader& of_this_thread();

  // Draws the transforms' random numbers, decodes the part of the image that they need, and writes the result to
  // `out`, whose size the pipeline must make. Returns what was wrong with the part that was read. Throws DataError
  // without a file name on bad JPEG or PNG data, and ArgumentError on an image that the transforms cannot take.
  DecodeWarnings load(std::span<const std::byte> file, const TransformPipeline& transforms,
                      const DecodeOptions& options, Rng& rng, const PixelOutput& out);

  // The same of pixels: equal ones give equal bytes.
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
