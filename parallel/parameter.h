/// \file
/// The parameters of a model, as data-parallel training sees them.
#pragma once

#include <string>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// A trainable array and its gradient, in memory of the communicator's device that somebody else owns.
struct LEAT_EXPORT Parameter {
  std::string name;    ///< for messages; the same on all ranks
  TensorView value{};  ///< the array; its dtype is one that Communicator::all_reduce() takes
  /// The gradient, of the value's dtype and shape. If `data` is null, GradientReducer provides the memory.
  TensorView gradient{};
};

}  // namespace leat
