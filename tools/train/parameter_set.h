// The parameters of a model: values, gradients and momentum in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/tensor_view.h"
#include "leat/transfer/device.h"
#include "tools/train/math.h"

namespace leat::tools {

// The description of a parameter without memory. Its elements start as independent numbers, uniform in [-limit,
// limit).
struct ParameterPlan {
  std::string name;
  Shape shape;
  double limit = 0;
  bool decays = true;  // takes part in weight decay
};

struct ModelParameter {
  std::string name;
  Shape shape;
  std::size_t count = 0;  // elements
  float* value = nullptr;
  float* gradient = nullptr;
  float* velocity = nullptr;
  bool decays = true;
};

// The values and velocities of all parameters of a set, each one after the other without gaps.
struct ModelState {
  std::vector<float> values, velocities;
};

// Each parameter starts at a multiple of kAlignment elements; the gaps are zero and stay zero. One thread at a time
// uses a set. Its memory is used only on streams, which must be synchronized before the set is destroyed.
class ParameterSet {
 public:
  static constexpr std::size_t kAlignment = 64;  // elements: 256 bytes

  // Initial values depend only on (plan, seed), so all replicas on all kinds of devices start with the same values.
  // Gradients and velocities start at zero. Returns when all values are on the device.
  ParameterSet(Device& device, const std::vector<ParameterPlan>& plan, std::uint64_t seed);

  const std::vector<ModelParameter>& all() const noexcept { return parameters_; }
  const ModelParameter& operator[](std::size_t index) const { return parameters_.at(index); }

  // Places the gradient of parameter `index` in other memory, which has the same size and must outlive its use.
  void set_gradient(std::size_t index, float* memory) { parameters_.at(index).gradient = memory; }

  void sgd_step(Math& math, const SgdOptions& options, StreamRef stream);

  // Return the values, gradients or velocities of all parameters, one after the other without gaps. Synchronize
  // `stream`.
  std::vector<float> values_on_host(StreamRef stream) const;
  std::vector<float> gradients_on_host(StreamRef stream) const;
  ModelState state_on_host(StreamRef stream) const;

  // Takes values and velocities from a state of a set with the same plan. Synchronizes `stream`. Throws ArgumentError
  // for a state of another size.
  void restore(const ModelState& state, StreamRef stream);

 private:
  std::vector<float> read(float* ModelParameter::*part, StreamRef stream) const;
  void write(float* ModelParameter::*part, const std::vector<float>& values, StreamRef stream);

  Device* device_;
  std::size_t padded_count_ = 0;  // elements of each buffer
  DeviceBuffer values_;
  DeviceBuffer gradients_;
  DeviceBuffer velocities_;
  std::vector<ModelParameter> parameters_;
};

}  // namespace leat::tools
