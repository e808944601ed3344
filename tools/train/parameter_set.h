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

// What a parameter is, before it has memory. It starts as independent numbers, uniform in [-limit, limit).
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

// Each parameter starts at a multiple of kAlignment elements; the gaps are zero and stay so. One thread at a
// time uses a set; its memory is used on streams only. Whoever destroys it has synchronized them.
class ParameterSet {
 public:
  static constexpr std::size_t kAlignment = 64;  // elements: 256 bytes

  // Initial values depend on (plan, seed) alone, so all replicas on all kinds of device start alike;
  // gradients and velocities start at zero. Returns when all of it has arrived.
  ParameterSet(Device& device, const std::vector<ParameterPlan>& plan, std::uint64_t seed);

  const std::vector<ModelParameter>& all() const noexcept { return parameters_; }
  const ModelParameter& operator[](std::size_t index) const { return parameters_.at(index); }

  // Puts the gradient of parameter `index` elsewhere: into memory of the same size that outlives its use.
  void set_gradient(std::size_t index, float* memory) { parameters_.at(index).gradient = memory; }

  void sgd_step(Math& math, const SgdOptions& options, StreamRef stream);

  // Values of every parameter, one after the other without gaps; synchronizes `stream`.
  std::vector<float> values_on_host(StreamRef stream) const;
  std::vector<float> gradients_on_host(StreamRef stream) const;

 private:
  std::vector<float> read(float* ModelParameter::*part, StreamRef stream) const;

  Device* device_;
  std::size_t padded_count_ = 0;  // elements of each buffer
  DeviceBuffer values_;
  DeviceBuffer gradients_;
  DeviceBuffer velocities_;
  std::vector<ModelParameter> parameters_;
};

}  // namespace leat::tools
