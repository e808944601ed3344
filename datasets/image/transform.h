// Transforms of pictures, with the names, parameters and defaults of torchvision.transforms:
//
//   leat::RandomResizedCrop{224} | leat::RandomHorizontalFlip{} | leat::ColorJitter{0.4, 0.4, 0.4}
//   leat::Resize{256} | leat::CenterCrop{224}
//
// They are values. First come those of geometry: they edit a Canvas before anything is decoded. Then those of pixels:
// they say what is to be done to the picture that the geometry makes. Normalize is the last.
//
// Every random choice comes from the sample's generator, in the order in which the transforms stand; each one's header
// tells its draws. So a picture's bytes are a function of (seed, epoch, index) and the pipeline, whoever loads it.
//
// Constructors throw ArgumentError on parameters out of range.
#pragma once

#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "leat/datasets/image/pixel_stage.h"
#include "leat/datasets/image/transforms/color_jitter.h"
#include "leat/datasets/image/transforms/crops.h"
#include "leat/datasets/image/transforms/flips.h"
#include "leat/datasets/image/transforms/normalize.h"
#include "leat/datasets/image/transforms/pad.h"
#include "leat/datasets/image/transforms/rand_augment.h"
#include "leat/datasets/image/transforms/random_edits.h"
#include "leat/datasets/image/transforms/random_erasing.h"
#include "leat/datasets/image/transforms/random_resized_crop.h"
#include "leat/datasets/image/transforms/resize.h"
#include "leat/datasets/rng.h"

namespace leat {

// A transform of geometry has
//   apply(canvas, rng)     edits the canvas; throws ArgumentError naming the sizes that do not suit
//   output_size(input)     the size it makes of pictures of size `input`; nullopt: it differs between them
// and one of pixels
//   draw(size, rng, edits) appends what is to be done to a picture of that size.
using Transform = std::variant<Resize, CenterCrop, RandomCrop, RandomResizedCrop, Pad, RandomHorizontalFlip,
                               RandomVerticalFlip, ColorJitter, Grayscale, RandomGrayscale, RandomInvert,
                               RandomPosterize, RandomSolarize, RandomAutocontrast, RandomEqualize,
                               RandomAdjustSharpness, RandAugment, RandomErasing, Normalize>;

namespace detail {
template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Types>
inline constexpr bool is_alternative<T, std::variant<Types...>> = (std::is_same_v<T, Types> || ...);
}  // namespace detail

template <class T>
concept AnyTransform = detail::is_alternative<T, Transform>;

// Transforms one after the other. Immutable, hence safe for all threads.
class TransformPipeline {
 public:
  TransformPipeline() = default;  // leaves the picture as it is
  template <AnyTransform T>
  TransformPipeline(const T& transform)  // NOLINT(google-explicit-constructor): one transform is a pipeline
      : transforms_{transform} {}

  // What becomes of a picture of size `source`.
  PicturePlan plan(Size source, Rng& rng) const;

  // The size of every output, for pictures of size `input`; nullopt where it depends on the picture.
  std::optional<Size> output_size(std::optional<Size> input = std::nullopt) const;

  // How pixels become f32; null where they stay u8.
  const ChannelScale* scale() const noexcept;

  // Throws ArgumentError where a transform of geometry would follow one of pixels, anything a Normalize, or a resize
  // what may paint a border.
  friend TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then);

 private:
  std::vector<Transform> transforms_;
};

TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then);

}  // namespace leat
