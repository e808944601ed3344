#include "tools/train/classifier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "leat/datasets/base/checked.h"

namespace leat::tools {

using namespace detail;

namespace {

std::vector<std::size_t> checked_widths(const ClassifierShape& shape) {
  std::vector<std::size_t> widths{shape.inputs};
  widths.insert(widths.end(), shape.hidden.begin(), shape.hidden.end());
  widths.push_back(shape.classes);
  for (const std::size_t width : widths) {
    if (width == 0) throw ArgumentError(fmt::format("a classifier of widths {} has an empty layer", widths));
  }
  if (shape.classes < 2) throw ArgumentError("a classifier needs at least two classes");
  return widths;
}

std::vector<ParameterPlan> plan(const std::vector<std::size_t>& widths) {
  std::vector<ParameterPlan> plans;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const bool last = layer + 2 == widths.size();
    const double limit = std::sqrt((last ? 3.0 : 6.0) / static_cast<double>(widths[layer]));
    plans.push_back({fmt::format("layer{}.weight", layer), {widths[layer + 1], widths[layer]}, limit, true});
    plans.push_back({fmt::format("layer{}.bias", layer), {widths[layer + 1]}, 0.0, false});
  }
  return plans;
}

float* floats(const DeviceBuffer& buffer) {
  return reinterpret_cast<float*>(buffer.data());
}

}  // namespace

Classifier::Classifier(Device& device, const ClassifierShape& shape, std::size_t max_rows, std::uint64_t seed)
    : widths_(checked_widths(shape)),
      max_rows_(max_rows),
      math_(make_math(device)),
      parameters_(device, plan(widths_), seed) {
  for (std::size_t layer = 1; layer < widths_.size(); ++layer) {
    const std::size_t bytes = checked_multiply(checked_multiply(max_rows, widths_[layer]), sizeof(float));
    activations_.push_back(device.allocate(bytes));
    activation_gradients_.push_back(device.allocate(bytes));
  }
}

Matrix Classifier::activation(std::size_t layer, const LabeledRows& batch) const {
  return {layer == 0 ? batch.images : floats(activations_[layer - 1]), batch.rows, widths_[layer]};
}

Matrix Classifier::weight(std::size_t layer) const {
  return {parameters_[2 * layer].value, widths_[layer + 1], widths_[layer]};
}

void Classifier::forward(const LabeledRows& batch, StreamRef stream) {
  if (batch.rows > max_rows_) {
    throw ArgumentError(fmt::format("a batch of {} rows is more than the {} the classifier was made for",
                                    batch.rows, max_rows_));
  }
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const Matrix output = activation(layer + 1, batch);
    math_->multiply(activation(layer, batch), transposed(weight(layer)), 0, output, stream);
    math_->add_bias(output, parameters_[2 * layer + 1].value, layer + 1 < layers(), stream);
  }
}

void Classifier::evaluate(const LabeledRows& batch, double* totals, StreamRef stream) {
  if (batch.rows == 0) return;
  forward(batch, stream);
  math_->softmax_cross_entropy(activation(layers(), batch), batch.labels, 0, nullptr, totals, stream);
}

void Classifier::train(const LabeledRows& batch, float scale, double* totals, const Ready& ready,
                       StreamRef stream) {
  if (batch.rows == 0) throw ArgumentError("training needs at least one row");
  forward(batch, stream);
  math_->softmax_cross_entropy(activation(layers(), batch), batch.labels, scale,
                               floats(activation_gradients_.back()), totals, stream);
  for (std::size_t layer = layers(); layer-- > 0;) backward_layer(layer, batch, ready, stream);
}

void Classifier::backward_layer(std::size_t layer, const LabeledRows& batch, const Ready& ready,
                                StreamRef stream) {
  const Matrix gradient{floats(activation_gradients_[layer]), batch.rows, widths_[layer + 1]};
  const Matrix weight_gradient{parameters_[2 * layer].gradient, widths_[layer + 1], widths_[layer]};
  math_->sum_rows(gradient, parameters_[2 * layer + 1].gradient, stream);
  ready(2 * layer + 1);
  math_->multiply(transposed(gradient), activation(layer, batch), 0, weight_gradient, stream);
  ready(2 * layer);
  if (layer == 0) return;
  const Matrix input_gradient{floats(activation_gradients_[layer - 1]), batch.rows, widths_[layer]};
  math_->multiply(gradient, weight(layer), 0, input_gradient, stream);
  math_->elu_backward(input_gradient, activation(layer, batch).data, stream);
}

}  // namespace leat::tools
