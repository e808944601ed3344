#include "datasets/image/image_loader.h"

namespace leat {

ImageLoader& ImageLoader::of_this_thread() {
  thread_local ImageLoader loader;
  return loader;
}

void ImageLoader::load(std::span<const std::byte> jpeg, const TransformPipeline& transforms,
                       const JpegLimits& limits, Rng& rng, MutableImageView out) {
  const Size source = decoder_.read_header(jpeg, limits);
  resampler_.prepare(transforms.plan(source, rng));
  resampler_.run(decoder_.decode_rows(resampler_.source_rows()), out);
}

}  // namespace leat
