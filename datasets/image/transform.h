// Transforms of pictures, with the names, parameters and defaults of torchvision.transforms:
//
//   leat::RandomResizedCrop{224} | leat::RandomHorizontalFlip{}
//   leat::Resize{256} | leat::CenterCrop{224}
//
// They are values; each edits a Geometry, and every random choice comes from the sample's generator.
// Constructors throw ArgumentError on parameters out of range.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "datasets/image/geometry.h"
#include "datasets/image/resample_kernels.h"
#include "loader/base/rng.h"

namespace leat {

// Each transform has:
//   apply(geometry, rng)   edits the geometry; throws ArgumentError naming the sizes that do not suit
//   output_size(input)     the size it makes of pictures of size `input`; nullopt: it differs between them

class Resize {
 public:
  // The shorter edge becomes `short_side`, the longer one int(short_side * longer / shorter).
  explicit Resize(int short_side, Filter filter = Filter::bilinear);
  Resize(int height, int width, Filter filter = Filter::bilinear);  // in torchvision's order

  void apply(Geometry& geometry, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const;

 private:
  Size size_;  // height 0: width is the shorter edge
  Filter filter_;
};

// The middle. A margin that is odd leaves the half pixel where Python's round((height - size) / 2.0) leaves
// it. A smaller picture is an error (torchvision pads it with black): put a Resize before.
class CenterCrop {
 public:
  explicit CenterCrop(int size) : CenterCrop(size, size) {}
  CenterCrop(int height, int width);

  void apply(Geometry& geometry, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size>) const { return size_; }

 private:
  Size size_;
};

struct Interval {
  double low;
  double high;
};

// A crop of random area (a share `scale` of the picture's) and random aspect ratio width / height
// (log-uniform in `ratio`), resized to size x size. Where ten tries do not fit, the largest middle part
// within `ratio`.
class RandomResizedCrop {
 public:
  explicit RandomResizedCrop(int size, Interval scale = {0.08, 1.0}, Interval ratio = {3.0 / 4.0, 4.0 / 3.0},
                             Filter filter = Filter::bilinear);

  void apply(Geometry& geometry, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size>) const { return size_; }

 private:
  bool try_crop(Geometry& geometry, Rng& rng) const;
  void crop_middle(Geometry& geometry) const;

  Size size_;
  Interval scale_;
  Interval ratio_;
  Interval log_ratio_;
  Filter filter_;
};

class RandomHorizontalFlip {
 public:
  explicit RandomHorizontalFlip(double p = 0.5);

  void apply(Geometry& geometry, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const { return input; }

 private:
  double p_;
};

class RandomVerticalFlip {
 public:
  explicit RandomVerticalFlip(double p = 0.5);

  void apply(Geometry& geometry, Rng& rng) const;
  std::optional<Size> output_size(std::optional<Size> input) const { return input; }

 private:
  double p_;
};

// What torchvision's ToTensor and Normalize make together: (pixel / 255 - mean[c]) / std[c], as f32 [3, height,
// width]. Computed as fma(pixel, 1 / (255 std[c]), -mean[c] / std[c]), to the same bits as the Normalization of
// the transfer layer. The last transform of a pipeline. ImageNet's: {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}.
class Normalize {
 public:
  Normalize(const std::array<float, 3>& mean, const std::array<float, 3>& std);

  void apply(Geometry&, Rng&) const {}
  std::optional<Size> output_size(std::optional<Size> input) const { return input; }
  const ChannelScale& scale() const noexcept { return scale_; }

 private:
  ChannelScale scale_;
};

using Transform =
    std::variant<Resize, CenterCrop, RandomResizedCrop, RandomHorizontalFlip, RandomVerticalFlip, Normalize>;

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

  // The geometry for a picture of size `source`.
  Geometry plan(Size source, Rng& rng) const;

  // The size of every output; nullopt where it depends on the picture.
  std::optional<Size> output_size() const;

  // How pixels become f32; null where they stay u8.
  const ChannelScale* scale() const noexcept;

  // Throws ArgumentError where something would follow a Normalize.
  friend TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then);

 private:
  std::vector<Transform> transforms_;
};

TransformPipeline operator|(TransformPipeline first, const TransformPipeline& then);

}  // namespace leat
