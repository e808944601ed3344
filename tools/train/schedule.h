// The learning rate over a training run.
#pragma once

#include <cstddef>

namespace leat::tools {

// Returns a rate that rises linearly over the first twentieth of the steps, then falls to zero along a half cosine
// (Loshchilov and Hutter, "SGDR", 2017, without restarts). `step` must be less than `steps`. The result is above 0
// and at most `peak`.
float learning_rate(float peak, std::size_t step, std::size_t steps);

}  // namespace leat::tools
