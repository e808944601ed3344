// A trainable array and its gradient, as data-parallel training sees them.
#pragma once

#include <string>

#include "leat/datasets/tensor_view.h"

namespace leat {

// Describes memory that somebody else owns, on the communicator's device. The gradient has the value's dtype
// and shape; where its `data` is null, the memory that GradientReducer::gradient() gives takes its place.
struct Parameter {
  std::string name;
  TensorView value{};
  TensorView gradient{};
};

}  // namespace leat
