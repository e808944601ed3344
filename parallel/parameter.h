/// \file
/// The parameters of a model, as data-parallel training sees them.
#pragma once

#include <string>

#include "leat/datasets/export.h"
#include "leat/datasets/tensor_view.h"

namespace leat {

/// A trainable array and its gradient. Their memory is on the communicator's device, and is not owned by this struct.
struct LEAT_EXPORT Parameter {
  std::string name;    ///< for messages; the same on all ranks
  TensorView value{};  ///< the array; its dtype is one that Communicator::all_reduce() takes
  /// The gradient, of the value's dtype and shape. If `data` is null, GradientReducer provides the memory.
  TensorView gradient{};
};

}  // namespace leat
