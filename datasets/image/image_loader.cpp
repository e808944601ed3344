#include "datasets/image/image_loader.h"

namespace leat {

static_assert(JpegDecoder::kRowPadding >= kKernelPadding);

ImageLoader& ImageLoader::of_this_thread() {
  thread_local ImageLoader loader;
  return loader;
}

void ImageLoader::load(std::span<const std::byte> jpeg, const TransformPipeline& transforms,
                       const JpegLimits& limits, Rng& rng, MutableImageView out) {
  const Size source = decoder_.read_header(jpeg, limits);
  resampler_.prepare(transforms.plan(source, rng));
  resampler_.begin(out);
  const PixelRange rows = resampler_.source_rows();
  decoder_.start({.rows = rows, .columns = resampler_.source_columns()});
  for (int y = 0; y < rows.size(); ++y) resampler_.push(decoder_.next_row());
}

}  // namespace leat
