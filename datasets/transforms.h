/// \file
/// Image transforms with the names, parameters and defaults of torchvision.transforms:
///
///     leat::RandomResizedCrop{224} | leat::RandomHorizontalFlip{} | leat::ColorJitter{0.4, 0.4, 0.4}
///     leat::Resize{256} | leat::CenterCrop{224}
///
/// Transforms are values. Geometry transforms come first: they decide what part of an image is decoded. Pixel
/// transforms follow. Normalize comes last.
///
/// All random numbers come from the sample's generator, in the order of the transforms. Each transform documents what
/// it draws. Therefore the bytes of an image depend only on (seed, epoch, index) and the pipeline, not on who loads
/// it.
///
/// Constructors throw ArgumentError if a parameter is out of range. A pipeline's constructor does the same for
/// members that were changed.
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

/// A closed interval from `low` to `high`.
struct LEAT_EXPORT Interval {
  double low;   ///< The smallest value.
  double high;  ///< The largest value.

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Resizes the image. Pixels that an earlier crop removed have no effect, unless `filter_reach` is
/// FilterReach::image. Draws nothing.
struct LEAT_EXPORT Resize {
  /// Resizes the shorter edge to `shorter_edge`, and the longer edge to int(shorter_edge * longer / shorter).
  explicit Resize(int shorter_edge, Filter filter = Filter::bilinear,
                  FilterReach filter_reach = FilterReach::crop);
  /// Resizes to this size, given in torchvision's order.
  Resize(int height, int width, Filter filter = Filter::bilinear,
         FilterReach filter_reach = FilterReach::crop);

  int short_side;            ///< Pixels of the shorter edge; 0 if `size` is given.
  Size size;                 ///< The size of the result; zero if `short_side` is given.
  Filter filter;             ///< The resampling filter.
  FilterReach filter_reach;  ///< Whether pixels that a crop removed have an effect.

  friend bool operator==(const Resize&, const Resize&) = default;
};

/// Cuts out the center. For an odd margin, the offset is Python's round((height - size) / 2.0). Images that are too
/// small are an error (torchvision pads them with black): put a Resize before. Draws nothing.
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
  Padding padding = 0;         ///< The border that is added first.
  bool pad_if_needed = false;  ///< Whether images that are too small are padded to the size, on both sides.
  Rgb fill = {0, 0, 0};        ///< The color of PaddingMode::constant.
  PaddingMode padding_mode = PaddingMode::constant;  ///< What the border shows.

  friend bool operator==(const RandomCropOptions&, const RandomCropOptions&) = default;
};

/// Cuts out a part of this size at a random place. Images that are too small are an error unless pad_if_needed is
/// set. Draws top, then left, even if there is only one place (torchvision draws nothing then).
struct LEAT_EXPORT RandomCrop {
  /// Cuts out a square.
  explicit RandomCrop(int edge, const RandomCropOptions& how = {}) : RandomCrop(edge, edge, how) {}
  /// Cuts out a rectangle, given in torchvision's order.
  RandomCrop(int height, int width, const RandomCropOptions& how = {});

  Size size;                  ///< The size of the result.
  RandomCropOptions options;  ///< How images are padded.

  friend bool operator==(const RandomCrop&, const RandomCrop&) = default;
};

/// Cuts out a part of random area (a share `scale` of the image's area) and random aspect ratio width / height
/// (log-uniform in `ratio`), and resizes it to `size`. If the part does not fit into the image in ten attempts, cuts
/// out the largest centered part whose ratio is within `ratio`. Each attempt draws area and ratio. The one that fits
/// draws top and left.
///
/// The crop is cut out before resizing, as in torchvision, so pixels beside it have no effect. With
/// FilterReach::image the filter reads pixels beyond the crop's edges, as in Pillow's resize() with a box.
struct LEAT_EXPORT RandomResizedCrop {
  /// Resizes the part to a square.
  explicit RandomResizedCrop(int edge, Interval scale = {0.08, 1.0}, Interval ratio = {3.0 / 4.0, 4.0 / 3.0},
                             Filter filter = Filter::bilinear, FilterReach filter_reach = FilterReach::crop);

  Size size;                 ///< The size of the result.
  Interval scale;            ///< Share of the area, above 0.
  Interval ratio;            ///< Width / height, above 0.
  Filter filter;             ///< The resampling filter.
  FilterReach filter_reach;  ///< Whether pixels beside the crop have an effect.

  friend bool operator==(const RandomResizedCrop&, const RandomResizedCrop&) = default;
};

/// Adds a border around the image. Draws nothing.
struct LEAT_EXPORT Pad {
  /// Adds a border with these widths.
  explicit Pad(Padding widths, Rgb fill = {0, 0, 0}, PaddingMode mode = PaddingMode::constant);

  Padding padding;   ///< The widths of the border.
  Rgb fill;          ///< The color of PaddingMode::constant.
  PaddingMode mode;  ///< What the border shows.

  friend bool operator==(const Pad&, const Pad&) = default;
};

/// Exchanges left and right with probability p. Draws one number.
struct LEAT_EXPORT RandomHorizontalFlip {
  /// `probability` becomes p.
  explicit RandomHorizontalFlip(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomHorizontalFlip&, const RandomHorizontalFlip&) = default;
};

/// Exchanges top and bottom with probability p. Draws one number.
struct LEAT_EXPORT RandomVerticalFlip {
  /// `probability` becomes p.
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

/// Changes brightness, contrast, saturation and hue, in random order. The first three are factors: an amount v means
/// that they are drawn from [max(0, 1 - v), 1 + v]. Hue is a shift in turns: an amount v means that it is drawn from
/// [-v, v], which must be within [-0.5, 0.5].
///
/// First draws the order of the four changes, with three numbers. They select, for the last place, then the third,
/// then the second, which of the places up to this one is exchanged with it. Then draws brightness, contrast,
/// saturation and hue, except those that do not change.
struct LEAT_EXPORT ColorJitter {
  /// Takes an amount or an interval for each. An amount of 0 means no change.
  explicit ColorJitter(JitterRange brightness = 0, JitterRange contrast = 0, JitterRange saturation = 0,
                       JitterRange hue = 0);

  std::optional<Interval> brightness;  ///< Factors; nullopt for no change.
  std::optional<Interval> contrast;    ///< Factors; nullopt for no change.
  std::optional<Interval> saturation;  ///< Factors; nullopt for no change.
  std::optional<Interval> hue;         ///< Turns; nullopt for no change.

  friend bool operator==(const ColorJitter&, const ColorJitter&) = default;
};

/// Makes the image gray, in three equal channels (torchvision's num_output_channels = 3). Draws nothing.
struct LEAT_EXPORT Grayscale {
  friend bool operator==(const Grayscale&, const Grayscale&) = default;
};

/// Makes the image gray with probability p. Draws one number.
struct LEAT_EXPORT RandomGrayscale {
  /// `probability` becomes p.
  explicit RandomGrayscale(double probability = 0.1);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomGrayscale&, const RandomGrayscale&) = default;
};

/// Inverts all channels with probability p. Draws one number.
struct LEAT_EXPORT RandomInvert {
  /// `probability` becomes p.
  explicit RandomInvert(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomInvert&, const RandomInvert&) = default;
};

/// Keeps only the highest bits of each channel, with probability p. Draws one number.
struct LEAT_EXPORT RandomPosterize {
  /// Keeps `bits_kept` bits. `probability` becomes p.
  explicit RandomPosterize(int bits_kept, double probability = 0.5);

  int bits;  ///< Number of bits that are kept, 0 to 8.
  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomPosterize&, const RandomPosterize&) = default;
};

/// Inverts channel values that are at least a threshold, with probability p. Draws one number.
struct LEAT_EXPORT RandomSolarize {
  /// Inverts values of at least `least_inverted`. `probability` becomes p.
  explicit RandomSolarize(int least_inverted, double probability = 0.5);

  int threshold;  ///< The smallest value that is inverted, 0 to 256.
  double p;       ///< Probability, 0 to 1.

  friend bool operator==(const RandomSolarize&, const RandomSolarize&) = default;
};

/// Stretches each channel to the range 0 to 255, with probability p. Draws one number.
struct LEAT_EXPORT RandomAutocontrast {
  /// `probability` becomes p.
  explicit RandomAutocontrast(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomAutocontrast&, const RandomAutocontrast&) = default;
};

/// Equalizes the histogram of each channel, with probability p. Draws one number.
struct LEAT_EXPORT RandomEqualize {
  /// `probability` becomes p.
  explicit RandomEqualize(double probability = 0.5);

  double p;  ///< Probability, 0 to 1.

  friend bool operator==(const RandomEqualize&, const RandomEqualize&) = default;
};

/// Changes the sharpness with probability p. Draws one number.
struct LEAT_EXPORT RandomAdjustSharpness {
  /// Changes the sharpness by `factor`. `probability` becomes p.
  explicit RandomAdjustSharpness(double factor, double probability = 0.5);

  double sharpness_factor;  ///< 0 smooths, 1 does not change the image, 2 doubles the sharpness.
  double p;                 ///< Probability, 0 to 1.

  friend bool operator==(const RandomAdjustSharpness&, const RandomAdjustSharpness&) = default;
};

/// Applies `num_ops` random operations out of fourteen, one after the other. An operation may be applied more than
/// once. Their magnitude is that of bin `magnitude` out of `num_magnitude_bins`. Operations and magnitudes are those
/// of torchvision. Operations that move pixels take the nearest pixel, torchvision's default interpolation. Source:
/// Cubuk, Zoph, Shlens, Le, "RandAugment: Practical automated data augmentation with a reduced search space", 2020.
///
/// Draws two numbers for each operation: its index and, if its magnitude has a sign, whether the sign is negative.
struct LEAT_EXPORT RandAugment {
  /// `operations`, `bin`, `bins` and `color` become num_ops, magnitude, num_magnitude_bins and fill.
  explicit RandAugment(int operations = 2, int bin = 9, int bins = 31, Rgb color = {0, 0, 0});

  int num_ops;             ///< Number of operations, 0 to 1000.
  int magnitude;           ///< The bin, 0 to num_magnitude_bins - 1.
  int num_magnitude_bins;  ///< Number of bins, 2 to 1000.
  Rgb fill;                ///< The color of the area that moves into the image.

  friend bool operator==(const RandAugment&, const RandAugment&) = default;
};

/// Paints a box of random area (a share `scale` of the image's area) and random aspect ratio height / width
/// (log-uniform in `ratio`) in the color `value`, with probability p. If the box does not fit in ten attempts, paints
/// nothing.
///
/// This transform paints bytes before Normalize, while torchvision's follows Normalize. To get 0 after Normalize, use
/// the mean as the color ({124, 116, 104} for ImageNet). Noise (torchvision's value = "random") is not supported.
///
/// Draws one number for p. Then each attempt draws area and ratio, and the one that fits draws top and left.
struct LEAT_EXPORT RandomErasing {
  /// `probability`, `area`, `aspect` and `color` become p, scale, ratio and value.
  explicit RandomErasing(double probability = 0.5, Interval area = {0.02, 0.33}, Interval aspect = {0.3, 3.3},
                         Rgb color = {0, 0, 0});

  double p;        ///< Probability, 0 to 1.
  Interval scale;  ///< Share of the area, within [0, 1].
  Interval ratio;  ///< Height / width, above 0.
  Rgb value;       ///< The color.

  friend bool operator==(const RandomErasing&, const RandomErasing&) = default;
};

/// Does the same as torchvision's ToTensor and Normalize together: (pixel / 255 - mean[c]) / std[c], as f32 [3,
/// height, width]. Computes fma(pixel, 1 / (255 std[c]), -mean[c] / std[c]), with the same bits as the Normalization
/// of the transfer layer. Draws nothing. The values for ImageNet are kImageNetMean and kImageNetStd.
struct LEAT_EXPORT Normalize {
  /// Takes the mean and the standard deviation of each channel.
  Normalize(const std::array<float, 3>& channel_means, const std::array<float, 3>& channel_stds);

  std::array<float, 3> mean;  ///< Red, green, blue; for pixels in [0, 1].
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

/// A sequence of transforms. Immutable, so thread-safe.
class LEAT_EXPORT TransformPipeline {
 public:
  /// Makes an empty pipeline, which does not change images.
  TransformPipeline() = default;
  /// Makes a pipeline of one transform. Throws ArgumentError if a parameter is out of range.
  template <AnyTransform T>
  TransformPipeline(const T& transform)  // NOLINT(google-explicit-constructor): one transform is a pipeline
      : TransformPipeline(std::vector<Transform>{transform}) {}
  /// Makes a pipeline of several transforms. Throws ArgumentError if a parameter is out of range, a geometry
  /// transform follows a pixel transform, any transform follows a Normalize, or a resize follows a transform that may
  /// add a border.
  explicit TransformPipeline(std::vector<Transform> transforms);

  /// Returns the transforms in order.
  const std::vector<Transform>& transforms() const noexcept { return transforms_; }

  /// Returns the output size for images of size `input`, or nullopt if it depends on the image.
  std::optional<Size> output_size(std::optional<Size> input = std::nullopt) const;

  /// Whether the output is f32, that is, whether the last transform is a Normalize.
  bool normalizes() const noexcept;

 private:
  std::vector<Transform> transforms_;
};

/// Returns a pipeline of both: `first`, then `then`. Throws ArgumentError like TransformPipeline's constructor.
LEAT_EXPORT TransformPipeline operator|(const TransformPipeline& first, const TransformPipeline& then);

}  // namespace leat
