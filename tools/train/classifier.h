// A multi-layer perceptron over flattened images, with its backward pass written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "leat/transfer/device.h"
#include "tools/train/math.h"
#include "tools/train/parameter_set.h"

namespace leat::tools {

struct ClassifierShape {
  std::size_t inputs = 0;           // values per image
  std::vector<std::size_t> hidden;  // width of each hidden layer; may be empty
  std::size_t classes = 0;
};

// Rows of a batch in device memory: f32 [rows, inputs] and i64 [rows].
struct LabeledRows {
  float* images = nullptr;
  const std::int64_t* labels = nullptr;
  std::size_t rows = 0;
};

// Linear layers with ELU between them: y = elu(x W^T + b), where W has the shape [out, in], as in PyTorch. ELU is
// used instead of ReLU because its derivative is continuous: different ways of dividing a batch among replicas differ
// by rounding, and the kink of a ReLU now and then turns a difference of 1e-8 into one of 1e-5, which then grows
// (measured on CIFAR-10: to 5e-2 of the parameters within an epoch). Weights start uniform in +-sqrt(6 / in) (He et
// al., "Delving Deep into Rectifiers", 2015). Those of the last layer, which has no activation after it, start in
// +-sqrt(3 / in). Biases start at 0. One thread at a time uses a classifier, with one stream at a time.
class Classifier {
 public:
  // Called on the calling thread, once per parameter and backward pass, as soon as the work that completes the
  // gradient of parameter `index` is enqueued. The last layer's parameters come first.
  using Ready = std::function<void(std::size_t index)>;

  // Supports batches of up to `max_rows` rows. Throws ArgumentError for a shape with a width of zero or fewer than
  // two classes.
  Classifier(Device& device, const ClassifierShape& shape, std::size_t max_rows, std::uint64_t seed);

  // Order: weight and bias of the first layer, of the second, ...
  ParameterSet& parameters() noexcept { return parameters_; }

  // Enqueues one forward and backward pass over at least one row. Gradients are overwritten with `scale` times the
  // sum over the rows of the loss's gradient. Adds to `totals` (two doubles on the device) as
  // Math::softmax_cross_entropy() does.
  void train(const LabeledRows& batch, float scale, double* totals, const Ready& ready, StreamRef stream);

  // Enqueues a forward pass that only adds to `totals`.
  void evaluate(const LabeledRows& batch, double* totals, StreamRef stream);

  std::string math_name() const { return math_->name(); }
  void sgd_step(const SgdOptions& options, StreamRef stream) {
    parameters_.sgd_step(*math_, options, stream);
  }

 private:
  // Returns the input of layer `layer`, the output of the layer before it: activation(0) is the image,
  // activation(layers()) the logits.
  Matrix activation(std::size_t layer, const LabeledRows& batch) const;
  Matrix weight(std::size_t layer) const;
  std::size_t layers() const noexcept { return widths_.size() - 1; }
  void forward(const LabeledRows& batch, StreamRef stream);
  void backward_layer(std::size_t layer, const LabeledRows& batch, const Ready& ready, StreamRef stream);

  std::vector<std::size_t> widths_;  // inputs, hidden..., classes
  std::size_t max_rows_;
  std::unique_ptr<Math> math_;
  ParameterSet parameters_;
  std::vector<DeviceBuffer> activations_;           // of layers 1, 2, ...; the last one holds the logits
  std::vector<DeviceBuffer> activation_gradients_;  // gradients of the loss by these
};

}  // namespace leat::tools
