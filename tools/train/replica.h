// One replica of the model, on its own stream, in step with the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leat/parallel/communicator.h"
#include "leat/parallel/gradient_reducer.h"
#include "leat/transfer/device.h"
#include "tools/train/classifier.h"

namespace leat::tools {

// Sums over the rows since the last totals, over all ranks.
struct Totals {
  double loss = 0;
  std::uint64_t correct = 0;
  std::uint64_t rows = 0;

  Totals& operator+=(const Totals& other) {
    loss += other.loss;
    correct += other.correct;
    rows += other.rows;
    return *this;
  }
};

// Threads: one at a time. Every rank must call train() and start_totals() equally often and in the same order. These
// members and evaluate() enqueue work and return. If the work fails later, finish_totals() throws the error.
class Replica {
 public:
  // `communicator` must be null if this is the only rank. Supports batches of up to `max_rows` rows. With several
  // ranks the host waits for all of them; afterwards all hold the same parameters. Throws what GradientReducer
  // throws.
  Replica(Device& device, std::unique_ptr<Communicator> communicator, const ClassifierShape& shape,
          std::size_t max_rows, std::uint64_t seed);

  StreamRef stream() const noexcept { return stream_; }
  Classifier& classifier() noexcept { return classifier_; }
  std::string engine() const { return communicator_ ? communicator_->engine() : "none"; }

  // Runs a training step: computes the gradients of these rows (perhaps none), times `scale`, sums them over all
  // ranks, and applies SGD with the sums.
  void train(const LabeledRows& batch, float scale, const SgdOptions& options);

  // Adds the rows to the totals and changes nothing else.
  void evaluate(const LabeledRows& batch);

  // Computes the totals of all ranks, and resets them. There are two functions, so that one thread can start the
  // totals of several replicas before it waits for one.
  void start_totals();
  Totals finish_totals();

  // Wakes the ranks that wait for this replica.
  void abort(std::string_view why) noexcept;

 private:
  static constexpr std::size_t kTotals = 3;  // loss, correct, rows

  void reduce_gradients_of(const LabeledRows& batch, float scale);
  double* totals() const { return reinterpret_cast<double*>(totals_.data()); }

  Device* device_;
  std::unique_ptr<Communicator> communicator_;
  Classifier classifier_;
  std::optional<GradientReducer> reducer_;
  DeviceBuffer totals_;                        // loss, correct, rows
  std::array<double, kTotals> host_totals_{};  // transfer buffer for totals_
  std::uint64_t rows_ = 0;                     // rows of this rank since the last totals
  Stream stream_;                              // last: destroyed first, and waits for work that uses the rest
};

}  // namespace leat::tools
