#include "tools/train/parameter_set.h"

#include <fmt/format.h>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/rng.h"

namespace leat::tools {

using namespace detail;

namespace {

float* floats(const DeviceBuffer& buffer, std::size_t offset = 0) {
  return reinterpret_cast<float*>(buffer.data()) + offset;
}

void draw(float* values, std::size_t count, double limit, Rng rng) {
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(rng.uniform(-limit, limit));
}

}  // namespace

ParameterSet::ParameterSet(Device& device, const std::vector<ParameterPlan>& plan, std::uint64_t seed)
    : device_(&device) {
  std::vector<std::size_t> offsets;
  for (const ParameterPlan& each : plan) {
    offsets.push_back(padded_count_);
    padded_count_ = checked_add(padded_count_, align_up(element_count(each.shape), kAlignment));
  }
  const std::size_t bytes = checked_multiply(padded_count_, sizeof(float));
  values_ = device.allocate(bytes);
  gradients_ = device.allocate(bytes);
  velocities_ = device.allocate(bytes);

  std::vector<float> initial(padded_count_, 0.0F);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::size_t count = element_count(plan[i].shape);
    draw(initial.data() + offsets[i], count, plan[i].limit, Rng(seed, 0, i));
    parameters_.push_back({plan[i].name, plan[i].shape, count, floats(values_, offsets[i]),
                           floats(gradients_, offsets[i]), floats(velocities_, offsets[i]), plan[i].decays});
  }
  const Stream stream = device.make_stream();
  device.copy(values_.data(), initial.data(), bytes, stream);
  device.fill_zero(gradients_.data(), bytes, stream);
  device.fill_zero(velocities_.data(), bytes, stream);
  device.synchronize(stream.ref());
}

void ParameterSet::sgd_step(Math& math, const SgdOptions& options, StreamRef stream) {
  for (const ModelParameter& each : parameters_) {
    SgdOptions own = options;
    if (!each.decays) own.weight_decay = 0;
    math.sgd(each.value, each.gradient, each.velocity, each.count, own, stream);
  }
}

std::vector<float> ParameterSet::values_on_host(StreamRef stream) const {
  return read(&ModelParameter::value, stream);
}

std::vector<float> ParameterSet::gradients_on_host(StreamRef stream) const {
  return read(&ModelParameter::gradient, stream);
}

ModelState ParameterSet::state_on_host(StreamRef stream) const {
  return {.values = values_on_host(stream), .velocities = read(&ModelParameter::velocity, stream)};
}

void ParameterSet::restore(const ModelState& state, StreamRef stream) {
  write(&ModelParameter::value, state.values, stream);
  write(&ModelParameter::velocity, state.velocities, stream);
}

std::vector<float> ParameterSet::read(float* ModelParameter::*part, StreamRef stream) const {
  std::size_t count = 0;
  for (const ModelParameter& each : parameters_) count += each.count;
  std::vector<float> values(count);
  float* to = values.data();
  for (const ModelParameter& each : parameters_) {
    device_->copy(to, each.*part, each.count * sizeof(float), stream);
    to += each.count;
  }
  device_->synchronize(stream);
  return values;
}

void ParameterSet::write(float* ModelParameter::*part, const std::vector<float>& values, StreamRef stream) {
  std::size_t count = 0;
  for (const ModelParameter& each : parameters_) count += each.count;
  if (values.size() != count) {
    throw ArgumentError(
        fmt::format("the state is of {} parameters, but the model has {}", values.size(), count));
  }
  const float* from = values.data();
  for (const ModelParameter& each : parameters_) {
    device_->copy(each.*part, from, each.count * sizeof(float), stream);
    from += each.count;
  }
  device_->synchronize(stream);
}

}  // namespace leat::tools
