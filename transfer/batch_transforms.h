/// \file
/// What devices compute of batches on their way to the consumer: normalized pixels, padded rows, wide integers, targets
/// of classes, MixUp and CutMix.
///
/// A transform reads fields, or results of transforms before it, by their names. A result without a name of its own has
/// the name of what it was made of, and hides it: from then on, the name means the result. Only FieldNormalization
/// reads the field itself. Every device computes the same bits; batch_operations.h and normalize.h say how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "leat/datasets/export.h"
#include "leat/transfer/batch_operations.h"
#include "leat/transfer/normalize.h"

namespace leat {

/// Makes a ragged field dense, as PadRagged does. The result is [rows, length, element shape...].
struct LEAT_EXPORT FieldPadding {
  std::string field{};     ///< name of a ragged field
  std::string output{};    ///< name of the result; if empty, the field's name
  std::size_t length = 0;  ///< elements per row; 0: as many as the batch's longest row has, on all devices
  std::size_t multiple_of = 1;  ///< without a length, the longest row's is rounded up to a multiple of this
  FillValue fill{};             ///< of the field's dtype
  bool truncate = false;  ///< cut rows beyond `length`; otherwise a batch with such a row is an ArgumentError
  std::string
      mask{};  ///< name of the mask, boolean [rows, length], true for the rows' own elements; or empty
  std::string lengths{};  ///< name of the lengths, i64 [rows]; or empty
};

/// Converts integers to i64, as Widen does. The result has the shape of what it was made of.
struct LEAT_EXPORT FieldWidening {
  std::string field{};   ///< name of a field of fixed shape, or of a result, of u8, u16, u32 or i32
  std::string output{};  ///< name of the result; if empty, the field's name
};

/// Turns labels into targets, as OneHot does. The result is f32 [rows, classes].
struct LEAT_EXPORT FieldOneHot {
  std::string field{};      ///< name of a scalar field, or of a result, of u8, u16, i32 or i64
  std::string output{};     ///< name of the result; if empty, the field's name
  std::size_t classes = 0;  ///< number of classes
  double smoothing = 0;     ///< label smoothing, in [0, 1)
};

/// Mixes images and targets of neighbors, as MixUp does, with a lambda that is drawn for each batch. The results have
/// the names of what they were made of. Each device mixes its own rows; lambda is the same on all.
struct LEAT_EXPORT BatchMixUp {
  std::string images{};    ///< name of f32, f16 or bf16 images, of three dimensions
  std::string targets{};   ///< name of f32 [rows, classes], such as a result of FieldOneHot
  double alpha = 1;        ///< lambda is drawn from Beta(alpha, alpha)
  std::uint64_t seed = 0;  ///< lambda is a function of the seed, the epoch and the batch's number
};

/// Puts a box of each row's neighbor into its image, and mixes the targets, as CutMix does. The box is drawn for each
/// batch. Otherwise like BatchMixUp.
struct LEAT_EXPORT BatchCutMix {
  std::string images{};                 ///< name of f32, f16 or bf16 images
  std::string targets{};                ///< name of f32 [rows, classes], such as a result of FieldOneHot
  std::optional<PixelLayout> layout{};  ///< of the images; not needed for a result of FieldNormalization
  double alpha = 1;                     ///< the box's area is drawn by Beta(alpha, alpha)
  std::uint64_t seed = 0;  ///< the box is a function of the seed, the epoch and the batch's number
};

/// A transform of batches, for PrefetcherOptions::transforms.
using BatchTransform =
    std::variant<FieldNormalization, FieldPadding, FieldWidening, FieldOneHot, BatchMixUp, BatchCutMix>;

}  // namespace leat
