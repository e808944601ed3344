#include "leat/datasets/image/image_loader.h"

#include "leat/datasets/image/transforms/transform_plan.h"

namespace leat::detail {

static_assert(ImageDecoder::kRowPadding >= kKernelPadding);

ImageLoader& ImageLoader::of_this_thread() {
  thread_local ImageLoader loader;
  return loader;
}

DecodeWarnings ImageLoader::load(std::span<const std::byte> file, const TransformPipeline& transforms,
                                 const DecodeOptions& options, Rng& rng, const PixelOutput& out) {
  const Size stored = decoder_.read_header(file, options.limits, options.exif_orientation);
  const Orientation orientation = decoder_.orientation();
  const ImagePlan plan = leat::detail::plan(transforms, oriented(stored, orientation), rng);
  const PixelOutput resampled = stage_.begin(plan, out);
  const Geometry& geometry = plan.canvas.geometry();
  const int reduction = decoder_.can_reduce() ? geometry.reduction(options.reducing_gap) : 1;
  resampler_.prepare(geometry.reduced(reduction));
  if (orientation.is_upright()) {
    load_upright(reduction, resampled);
  } else {
    load_turned(reduction, resampled);
  }
  stage_.finish(plan, out);
  return decoder_.warnings();
}

void ImageLoader::load(ImageView pixels, const TransformPipeline& transforms, Rng& rng,
                       const PixelOutput& out) {
  const ImagePlan plan = leat::detail::plan(transforms, pixels.size, rng);
  const PixelOutput resampled = stage_.begin(plan, out);
  resampler_.prepare(plan.canvas.geometry());
  resampler_.run({pixels}, resampled);
  stage_.finish(plan, out);
}

void ImageLoader::load_upright(int reduction, const PixelOutput& out) {
  resampler_.begin(out);
  const PixelRange rows = resampler_.source_rows();
  decoder_.start({rows, resampler_.source_columns(), reduction});
  for (int y = 0; y < rows.size(); ++y) resampler_.push(decoder_.next_row());
}

void ImageLoader::load_turned(int reduction, const PixelOutput& out) {
  const Orientation orientation = decoder_.orientation();
  const PixelRange rows = resampler_.source_rows(), columns = resampler_.source_columns();
  const StoredPart part =
      stored_part(rows, columns, oriented(decoder_.size(reduction), orientation), orientation);
  const ImageTile tile = decoder_.decode({part.rows, part.columns, reduction});
  turned_.resize({columns.size(), rows.size()});
  turn_upright(tile.pixels, orientation, turned_.view());
  resampler_.run({turned_.view(), columns.first, rows.first}, out);
}

}  // namespace leat::detail
