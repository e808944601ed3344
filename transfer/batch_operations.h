/// \file
/// Operations on batches that devices do beside normalization: padding of ragged rows, widening of integers, targets
/// of classes, MixUp and CutMix.
///
/// An operation is a struct that names its operands and holds its parameters; Device::apply() enqueues it. Operands are
/// memory of the device, without gaps, and aligned to their elements. They must stay allocated until the stream has
/// passed the operation. An operation writes every element of its results, and never reads memory that it writes, so an
/// operand cannot be its own result. Every device computes the same bits.
///
/// The host does not see the values that an operation meets on a device. So what is wrong with a value (a label that is
/// no class) shows in the result, in the way that the operation's comment says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/export.h"
#include "leat/transfer/normalize.h"

namespace leat {

/// One value of any dtype.
class LEAT_EXPORT FillValue {
 public:
  /// Zero, of whatever dtype is needed.
  FillValue() = default;
  /// A value of T's dtype.
  template <class T>
  FillValue(T value) noexcept
      : dtype_(dtype_of<T>) {  // NOLINT: implicit, so that .fill = 0.5F can be written
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  /// Returns the dtype; nothing for a default zero.
  std::optional<DType> dtype() const noexcept { return dtype_; }
  /// Returns the bytes of the value, and zeros behind them.
  const std::array<std::byte, 8>& bytes() const noexcept { return bytes_; }

 private:
  std::optional<DType> dtype_;
  std::array<std::byte, 8> bytes_{};
};

/// Copies ragged rows into a dense array: row r is the elements [offsets[r], offsets[r + 1]) of `values`, followed by
/// `fill` up to `length`. An element is as many values as the field's shape holds, one if it is a scalar.
///
/// A row cannot be copied if it is longer than `length` and `truncate` is false, or if its offsets decrease or lie
/// outside `values`. Such a row consists of `fill`, its mask is 0, and its length is -1.
///
/// Reads each value that is copied and 8 bytes per row; writes each value of `to`, 1 byte per element for the mask, and
/// 8 bytes per row for the lengths.
struct LEAT_EXPORT PadRagged {
  void* to = nullptr;                     ///< [rows, length, values_per_element], of `dtype`
  const void* values = nullptr;           ///< [elements, values_per_element], of `dtype`
  const std::int64_t* offsets = nullptr;  ///< [rows + 1], in elements
  std::uint8_t* mask = nullptr;     ///< [rows, length]: 1 for an element of the row, 0 for fill. Null: none
  std::int64_t* lengths = nullptr;  ///< [rows]: elements of the row in `to`, or -1. Null: none
  std::size_t rows = 0;             ///< number of rows
  std::size_t length = 0;           ///< elements per row of `to`
  std::size_t elements = 0;         ///< elements in `values`
  std::size_t values_per_element = 1;  ///< number of values in an element
  DType dtype = DType::i64;            ///< of the values: any
  FillValue fill{};                    ///< of the same dtype
  bool truncate = false;               ///< copy only the first `length` elements of longer rows

  /// Throws ArgumentError if an operand is missing, misaligned or overlaps a result, or if `fill` is of another dtype.
  void check() const;
};

/// Converts integers to i64, as loss functions expect labels and tokens.
///
/// Per value, reads its size and writes 8 bytes.
struct LEAT_EXPORT Widen {
  std::int64_t* to = nullptr;  ///< [count]
  const void* from = nullptr;  ///< [count], of `dtype`
  DType dtype = DType::i32;    ///< u8, u16, u32 or i32
  std::size_t count = 0;       ///< number of values

  /// Throws ArgumentError for another dtype, or if an operand is missing, misaligned or overlaps the result.
  void check() const;
};

/// Turns labels into targets: 1 - smoothing + smoothing / classes for the class of the label, smoothing / classes for
/// the others, as label_smoothing of torch.nn.CrossEntropyLoss defines it. Both are computed in f64 and rounded to f32.
/// Source of label smoothing: Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", CVPR 2016.
///
/// A label outside [0, classes) gives a row of NaN, which makes the loss NaN.
///
/// Reads the labels; writes 4 bytes per row and class.
struct LEAT_EXPORT OneHot {
  float* to = nullptr;           ///< [rows, classes]
  const void* labels = nullptr;  ///< [rows], of `dtype`
  DType dtype = DType::i64;      ///< u8, u16, i32 or i64
  std::size_t rows = 0;          ///< number of labels
  std::size_t classes = 0;       ///< number of classes, at least 1
  double smoothing = 0;          ///< in [0, 1)

  /// Returns the target of the label's class.
  float on() const noexcept;
  /// Returns the target of the other classes.
  float off() const noexcept;
  /// Throws ArgumentError for another dtype, no classes, a smoothing outside [0, 1), or if an operand is missing,
  /// misaligned or overlaps the result.
  void check() const;
};

/// The operands of MixUp and CutMix: a batch whose images are mixed with those of their partners, and the targets
/// likewise. A row whose partner does not exist becomes NaN where the partner's values were needed.
struct LEAT_EXPORT MixOperands {
  void* mixed_images = nullptr;            ///< of the shape and dtype of `images`
  const void* images = nullptr;            ///< [n, c, h, w] or [n, h, w, c]; null: targets only
  PixelShape shape{};                      ///< any number of channels
  PixelLayout layout = PixelLayout::nchw;  ///< order of the dimensions of `images`
  DType dtype = DType::f32;                ///< of the images: f32, f16 or bf16
  float* mixed_targets = nullptr;          ///< [n, classes]
  const float* targets = nullptr;          ///< [n, classes]; null: images only
  std::size_t classes = 0;                 ///< number of targets per row
  const std::uint32_t* partners =
      nullptr;  ///< [n]: each row's partner; null: the row before (the last for row 0)

  /// Throws ArgumentError for another dtype, or if an operand is missing, misaligned or overlaps a result.
  void check() const;
};

/// Mixes images and targets: out[i] = lambda x[i] + (1 - lambda) x[partner of i]. Source: Zhang, Cisse, Dauphin,
/// Lopez-Paz, "mixup: Beyond Empirical Risk Minimization", ICLR 2018; with the row before as partner, as
/// torchvision.transforms.v2.MixUp. draw_mixup() draws lambda.
///
/// Both weights are rounded to f32, both products and their sum are rounded to f32 one after the other, as torchvision
/// does, and the sum is rounded to the dtype (to nearest, ties to even). Every NaN has the same bits.
///
/// Per value of the images and targets, reads two values and writes one; reads 4 bytes per row for the partners.
struct LEAT_EXPORT MixUp {
  MixOperands batch{};  ///< what to mix
  double lambda = 1;    ///< weight of the row itself, in [0, 1]

  /// Throws ArgumentError for a lambda outside [0, 1], and what MixOperands::check() throws.
  void check() const;
};

/// A rectangle of pixels: columns [left, right) of lines [top, bottom).
struct LEAT_EXPORT PixelBox {
  std::size_t left = 0;    ///< first column
  std::size_t top = 0;     ///< first line
  std::size_t right = 0;   ///< column behind the last
  std::size_t bottom = 0;  ///< line behind the last

  /// Compares all four edges.
  friend bool operator==(const PixelBox&, const PixelBox&) = default;
};

/// Copies images, with a box from the partner, and mixes targets by the areas: MixUp's formula with lambda(). Source:
/// Yun, Han, Oh, Chun, Choe, Yoo, "CutMix: Regularization Strategy to Train Strong Classifiers with Localizable
/// Features", ICCV 2019; with the row before as partner, as torchvision.transforms.v2.CutMix. draw_cutmix() draws the
/// box.
///
/// Per value of the images, reads one value and writes one. Of the targets, reads two and writes one.
struct LEAT_EXPORT CutMix {
  MixOperands batch{};  ///< what to mix
  PixelBox box{};       ///< what is taken from the partner; may be empty

  /// Returns the share of the image that is not in the box: the weight of the row's own targets.
  double lambda() const noexcept;
  /// Throws ArgumentError for a box that is not within the image, and what MixOperands::check() throws.
  void check() const;
};

/// An operation on a batch, for Device::apply().
using BatchOperation = std::variant<PadRagged, Widen, OneHot, MixUp, CutMix>;

/// Calls check() of the operation.
LEAT_EXPORT void check(const BatchOperation& operation);

/// Returns the memory that the operation writes.
LEAT_EXPORT std::vector<std::span<const std::byte>> written_by(const BatchOperation& operation);

}  // namespace leat
