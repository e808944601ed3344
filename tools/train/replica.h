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
};

// Threads: one at a time. Every rank calls train() and start_totals() equally often and in the same order.
// Those and evaluate() enqueue and return; what fails later is thrown by finish_totals().
class Replica {
 public:
  // `communicator` is null where this is the only rank. For batches of up to `max_rows` rows. With several
  // ranks the host waits for all of them; afterwards all hold the same parameters. Throws what
  // GradientReducer throws.
  Replica(Device& device, std::unique_ptr<Communicator> communicator, const ClassifierShape& shape,
          std::size_t max_rows, std::uint64_t seed);

  StreamRef stream() const noexcept { return stream_; }
  Classifier& classifier() noexcept { return classifier_; }
  std::string engine() const { return communicator_ ? communicator_->engine() : "none"; }

  // A step: gradients of these rows (perhaps none), times `scale`, summed over all ranks, and SGD with the
  // sums.
  void train(const LabeledRows& batch, float scale, const SgdOptions& options);

  // Adds the rows to the totals and changes nothing else.
  void evaluate(const LabeledRows& batch);

  // The totals of all ranks, and a new start. In two parts, so that one thread can start them on several
  // replicas before it waits for one.
  void start_totals();
  Totals finish_totals();

  // Frees those that wait for this replica.
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
  std::array<double, kTotals> host_totals_{};  // on the way from and to totals_
  std::uint64_t rows_ = 0;                     // of this rank, since the last totals
  Stream stream_;                              // last: destroyed first, after waiting for what uses the rest
};

}  // namespace leat::tools
