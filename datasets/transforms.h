/// \file
/// Transforms of images, with the names, parameters and defaults of torchvision.transforms:
///
///     leat::RandomResizedCrop{224} | leat::RandomHorizontalFlip{} | leat::ColorJitter{0.4, 0.4, 0.4}
///     leat::Resize{256} | leat::CenterCrop{224}
///
/// They are values. Transforms of geometry come first: they decide what part of an image is decoded. Transforms of
/// pixels follow. Normalize is the last.
///
/// All random numbers come from the sample's generator, in the order of the transforms; each one describes what it
/// draws. So the bytes of an image are a function of (seed, epoch, index) and the pipeline, whoever loads it.
///
/// Constructors throw ArgumentError if a parameter is out of range; so does a pipeline, of members that were changed.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/image_size.h"
#include "leat/datasets/imagenet.h"
#include "leat/datasets/padding.h"
#include "leat/datasets/resampling.h"

namespace leat {

/// From low to high, both included.
struct LEAT_EXPORT Interval {
  double low;   ///< The least value.
  double high;  ///< The greatest value.

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Resizes the image. Pixels that a crop before it left out do not count, unless `filter_reach` is FilterReach::image.
/// Draws nothing.
struct LEAT_EXPORT Resize {
  /// Resizes the shorter edge to `shorter_edge`, and the longer one to int(shorter_edge * longer / shorter).
  explicit Resize(int shorter_edge, Filter filter = Filter::bilinear,
                  FilterReach filter_reach = FilterReach::crop);
  /// Resizes to this size, given in torchvision's order.
  Resize(int height, int width, Filter filter = Filter::bilinear,
         FilterReach filter_reach = FilterReach::crop);

  int short_side;            ///< Pixels of the shorter edge; 0 if `size` is given.
  Size size;                 ///< The size of the result; zero if `short_side` is given.
  Filter filter;             ///< How pixels are computed.
  FilterReach filter_reach;  ///< Whether what a crop left out counts.

  friend bool operator==(const Resize&, const Resize&) = default;
};

/// Cuts out the middle. A margin that is odd leaves the half pixel where Python's round((height - size) / 2.0) leaves
/// it. A smaller image is an error (torchvision pads it with black): put a Resize before. Draws nothing.
struct LEAT_EXPORT CenterCrop {
  /// Cuts out a square.
  explicit CenterCrop(int edge) : CenterCrop(edge, edge) {}
  /// Cuts out a rectangle, given in torchvision's order.
  CenterCrop(int height, int width);

  Size size;  ///< The size of the result.

  friend bool operator==(const CenterCrop&, const CenterCrop&) = default;
};

/// How RandomCrop pads images before it crops them.
struct LEAT_EXPORT RandomCropOptions {
  Padding padding = 0;         ///< The border that is painted first.
  bool pad_if_needed = false;  ///< Whether smaller images are padded to the size, on both sides.
  Rgb fill = {0, 0, 0};        ///< The color of PaddingMode::constant.
  PaddingMode padding_mode = PaddingMode::constant;  ///< What the border shows.

  friend bool operator==(const RandomCropOptions&, const RandomCropOptions&) = default;
};

/// Cuts out a part of this size, at random. A smaller image is an error unless pad_if_needed is set. Draws top, then
/// left, also if there is no choice (torchvision draws nothing then).
struct LEAT_EXPORT RandomCrop {
  /// Cuts out a square.
  explicit RandomCrop(int edge, const RandomCropOptions& how = {}) : RandomCrop(edge, edge, how) {}
  /// Cuts out a rectangle, given in torchvision's order.
  RandomCrop(int height, int width, const RandomCropOptions& how = {});

  Size size;                  ///< The size of the result.
  RandomCropOptions options;  ///< How images are padded.

  friend bool operator==(const RandomCrop&, const RandomCrop&) = default;
};

/// Cuts out a part of random area (a share `scale` of the image's) and random aspect ratio width / height (log-uniform
/// in `ratio`), and resizes it to `size`. If ten tries do not fit, takes the largest part from the middle whose ratio
/// is within `ratio`. Each try draws area and ratio; the one that fits draws top and left.
///
/// The crop is cut out first, as in torchvision: no pixel beside it counts. With FilterReach::image the filter sees
/// what lies beyond the crop's edges, as does Pillow's resize() with a box.
struct LEAT_EXPORT RandomResizedCrop {
  /// Resizes the part to a square.
  explicit RandomResizedCrop(int edge, Interval scale = {0.08, 1.0}, Interval ratio = {3.0 / 4.0, 4.0 / 3.0},
                             Filter filter = Filter::bilinear, FilterReach filter_reach = FilterReach::crop);

  Size size;                 ///< The size of the result.
  Interval scale;            ///< Share of the area, above 0.
  Interval ratio;            ///< Width / height, above 0.
  Filter filter;             ///< How pixels are computed.
  FilterReach filter_reach;  ///< Whether pixels beside the crop count.

  friend bool operator==(const RandomResizedCrop&, const RandomResizedCrop&) = default;
};

/// Paints a border around the image. Draws nothing.
struct LEAT_EXPORT Pad {
  /// Paints a border of these widths.
  explicit Pad(Padding widths, Rgb fill = {0, 0, 0}, PaddingMode mode = PaddingMode::constant);

  Padding padding;   ///< How wide.
  Rgb fill;          ///< The color of PaddingMode::constant.
  PaddingMode mode;  ///< What the border shows.

  friend bool operator==(const Pad&, const Pad&) = default;
};

/// Exchanges left and right. Draws one number: whether.
struct LEAT_EXPORT RandomHorizontalFlip {
  /// Takes the probability.
  explicit RandomHorizontalFlip(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomHorizontalFlip&, const RandomHorizontalFlip&) = default;
};

/// Exchanges top and bottom. Draws one number: whether.
struct LEAT_EXPORT RandomVerticalFlip {
  /// Takes the probability.
  explicit RandomVerticalFlip(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomVerticalFlip&, const RandomVerticalFlip&) = default;
};

/// An amount, or the interval from which ColorJitter draws.
struct LEAT_EXPORT JitterRange {
  /// Takes an amount, which ColorJitter turns into an interval.
  JitterRange(double amount) : value(amount) {}  // NOLINT(google-explicit-constructor): as torchvision
  /// Takes an interval.
  JitterRange(Interval interval) : value(interval) {}  // NOLINT(google-explicit-constructor): as torchvision

  std::variant<double, Interval> value;  ///< What was given.
};

/// Changes brightness, contrast, saturation and hue, in random order. The first three are factors: an amount v draws
/// them from [max(0, 1 - v), 1 + v]. Hue is a shift in turns: v draws it from [-v, v]; it lies within [-0.5, 0.5].
///
/// Draws the order of the four (three numbers: for the last place, then the third, then the second, which of those up
/// to it comes there), then brightness, contrast, saturation and hue, except those that are left alone.
struct LEAT_EXPORT ColorJitter {
  /// Takes an amount or an interval for each; 0 leaves it alone.
  explicit ColorJitter(JitterRange brightness = 0, JitterRange contrast = 0, JitterRange saturation = 0,
                       JitterRange hue = 0);

  std::optional<Interval> brightness;  ///< Factors; nullopt: left alone.
  std::optional<Interval> contrast;    ///< Factors; nullopt: left alone.
  std::optional<Interval> saturation;  ///< Factors; nullopt: left alone.
  std::optional<Interval> hue;         ///< Turns; nullopt: left alone.

  friend bool operator==(const ColorJitter&, const ColorJitter&) = default;
};

/// Makes the image gray, in three equal channels (torchvision's num_output_channels = 3). Draws nothing.
struct LEAT_EXPORT Grayscale {
  friend bool operator==(const Grayscale&, const Grayscale&) = default;
};

/// Makes the image gray. Draws one number: whether.
struct LEAT_EXPORT RandomGrayscale {
  /// Takes the probability.
  explicit RandomGrayscale(double probability = 0.1);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomGrayscale&, const RandomGrayscale&) = default;
};

/// Inverts all channels. Draws one number: whether.
struct LEAT_EXPORT RandomInvert {
  /// Takes the probability.
  explicit RandomInvert(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomInvert&, const RandomInvert&) = default;
};

/// Keeps the highest bits of each channel. Draws one number: whether.
struct LEAT_EXPORT RandomPosterize {
  /// Keeps `bits_kept` bits.
  explicit RandomPosterize(int bits_kept, double probability = 0.5);

  int bits;  ///< How many are kept, 0 to 8.
  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomPosterize&, const RandomPosterize&) = default;
};

/// Inverts the values of channels that are at least a threshold. Draws one number: whether.
struct LEAT_EXPORT RandomSolarize {
  /// Inverts from `least_inverted` on.
  explicit RandomSolarize(int least_inverted, double probability = 0.5);

  int threshold;  ///< The least value that is inverted, 0 to 256.
  double p;       ///< Probability, 0 to 1.

  friend bool operator==(const RandomSolarize&, const RandomSolarize&) = default;
};

/// Stretches each channel to the range 0 to 255. Draws one number: whether.
struct LEAT_EXPORT RandomAutocontrast {
  /// Takes the probability.
  explicit RandomAutocontrast(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomAutocontrast&, const RandomAutocontrast&) = default;
};

/// Equalizes the histogram of each channel. Draws one number: whether.
struct LEAT_EXPORT RandomEqualize {
  /// Takes the probability.
  explicit RandomEqualize(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomEqualize&, const RandomEqualize&) = default;
};

/// Changes the sharpness. Draws one number: whether.
struct LEAT_EXPORT RandomAdjustSharpness {
  /// Changes the sharpness by `factor`.
  explicit RandomAdjustSharpness(double factor, double probability = 0.5);

  double sharpness_factor;  ///< 0 smooths, 1 leaves the image as it is, 2 doubles the sharpness.
  double p;                 ///< Probability, 0 to 1.

  friend bool operator==(const RandomAdjustSharpness&, const RandomAdjustSharpness&) = default;
};

/// Applies `num_ops` operations, one after the other, each chosen out of fourteen; one may be chosen again. Their
/// magnitude is that of bin `magnitude` out of `num_magnitude_bins`. Operations and magnitudes are torchvision's; what
/// moves pixels takes the nearest one, torchvision's default interpolation. Source: Cubuk, Zoph, Shlens, Le,
/// "RandAugment: Practical automated data augmentation with a reduced search space", 2020.
///
/// Draws for each of num_ops: which, then, if it has a sign, whether it is negative.
struct LEAT_EXPORT RandAugment {
  /// Takes num_ops, magnitude, num_magnitude_bins and fill.
  explicit RandAugment(int operations = 2, int bin = 9, int bins = 31, Rgb color = {0, 0, 0});

  int num_ops;             ///< How many operations, 0 to 1000.
  int magnitude;           ///< The bin, 0 to num_magnitude_bins - 1.
  int num_magnitude_bins;  ///< 2 to 1000.
  Rgb fill;                ///< The color of what moves into the image.

  friend bool operator==(const RandAugment&, const RandAugment&) = default;
};

/// Paints a box of random area (a share `scale` of the image's) and random aspect ratio height / width (log-uniform in
/// `ratio`), in the color `value`, with probability p. If ten tries do not fit, paints nothing.
///
/// It erases bytes, before Normalize, whereas torchvision's comes after: for 0 after Normalize, give the mean ({124,
/// 116, 104} for ImageNet's). Noise (torchvision's value = "random") is not supported.
///
/// Draws whether; then each try draws area and ratio; the one that fits draws top and left.
struct LEAT_EXPORT RandomErasing {
  /// Takes p, scale, ratio and value.
  explicit RandomErasing(double probability = 0.5, Interval area = {0.02, 0.33}, Interval aspect = {0.3, 3.3},
                         Rgb color = {0, 0, 0});

  double p;        ///< Probability, 0 to 1.
  Interval scale;  ///< Share of the area, within [0, 1].
  Interval ratio;  ///< Height / width, above 0.
  Rgb value;       ///< The color.

  friend bool operator==(const RandomErasing&, const RandomErasing&) = default;
};

/// Makes what torchvision's ToTensor and Normalize make together: (pixel / 255 - mean[c]) / std[c], as f32 [3, height,
/// width]. Computes fma(pixel, 1 / (255 std[c]), -mean[c] / std[c]), to the same bits as the Normalization of the
/// transfer layer. Draws nothing. The values of ImageNet are kImageNetMean and kImageNetStd.
struct LEAT_EXPORT Normalize {
  /// Takes mean and std.
  Normalize(const std::array<float, 3>& channel_means, const std::array<float, 3>& channel_stds);

  std::array<float, 3> mean;  ///< Red, green, blue; of pixels in [0, 1].
  std::array<float, 3> std;   ///< Red, green, blue; above 0.

  friend bool operator==(const Normalize&, const Normalize&) = default;
};

/// One of the transforms.
using Transform = std::variant<Resize, CenterCrop, RandomCrop, RandomResizedCrop, Pad, RandomHorizontalFlip,
                               RandomVerticalFlip, ColorJitter, Grayscale, RandomGrayscale, RandomInvert,
                               RandomPosterize, RandomSolarize, RandomAutocontrast, RandomEqualize,
                               RandomAdjustSharpness, RandAugment, RandomErasing, Normalize>;

/// The types of transforms: the alternatives of Transform.
template <class T>
concept AnyTransform = []<class... Types>(std::variant<Types...>*) {
  return (std::is_same_v<T, Types> || ...);
}(static_cast<Transform*>(nullptr));

/// Transforms one after the other. Immutable, hence safe for all threads.
class LEAT_EXPORT TransformPipeline {
 public:
  /// Makes an empty pipeline, which leaves images as they are.
  TransformPipeline() = default;
  /// Makes a pipeline of one transform. Throws ArgumentError if a parameter is out of range.
  template <AnyTransform T>
  TransformPipeline(const T& transform)  // NOLINT(google-explicit-constructor): one transform is a pipeline
      : TransformPipeline(std::vector<Transform>{transform}) {}
  /// Makes a pipeline of several. Throws ArgumentError if a parameter is out of range, a transform of geometry follows
  /// one of pixels, anything follows a Normalize, or a resize follows a transform that may paint a border.
  explicit TransformPipeline(std::vector<Transform> transforms);

  /// Returns the transforms, the first one first.
  const std::vector<Transform>& transforms() const noexcept { return transforms_; }

  /// Returns the size of every output, for images of size `input`; nullopt if it depends on the image.
  std::optional<Size> output_size(std::optional<Size> input = std::nullopt) const;

  /// Whether the output is f32: whether the last transform is a Normalize.
  bool normalizes() const noexcept;

 private:
  std::vector<Transform> transforms_;
};

/// Returns a pipeline of both, `then` after `first`. Throws ArgumentError as TransformPipeline's constructor.
LEAT_EXPORT TransformPipeline operator|(const TransformPipeline& first, const TransformPipeline& then);

}  // namespace leat
