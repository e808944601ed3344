// What ranks in processes of their own make of gradients.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/support/rank_processes.h"

namespace leat::test {

// Reduces a parameter whose value is the rank and whose gradient is the rank plus 1. Reports "value gradient" as they
// are then.
inline void report_reduced_gradient(Communicator& communicator, const RankProcess::Report& report) {
  std::vector<float> values(10'000, static_cast<float>(communicator.rank()));
  GradientReducer reducer(
      communicator,
      {{.name = "w", .value = {.data = values.data(), .dtype = DType::f32, .shape = {10'000}}}});
  const auto gradient = TensorView(reducer.gradient(0)).as<float>();
  std::fill(gradient.begin(), gradient.end(), static_cast<float>(communicator.rank() + 1));
  const Stream stream = host_device().make_stream();
  reducer.mark_ready(0, stream);
  reducer.finish(stream);
  stream.ref().synchronize();
  report(fmt::format("{} {}", values[9999], gradient[9999]));
}

}  // namespace leat::test
