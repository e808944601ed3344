// Gradients of all ranks summed in buckets, while the backward pass still runs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "leat/parallel/communicator.h"
#include "leat/parallel/parameter.h"

namespace leat {

struct ReducerOptions {
  double bucket_cap_mb = 25;  // MiB, as in PyTorch
  double first_bucket_mb = 1;
};

// What a rank multiplies its loss by, so that the *sum* over ranks, which is what the reducer computes, is
// what is wanted. With L_r the mean loss over the n_r rows of rank r, and N rows on all ranks:
//   exact_loss_weight     n_r / N  gives the gradient of the mean over the global batch, however uneven the n_r
//   per_rank_loss_weight  1 / R    gives the mean of the ranks' means, as PyTorch's DDP does: the same only
//                                  where all n_r are equal (rows split 3 to 1 can give -10.667 where -7 is right)
// The weight belongs into the loss, where it costs nothing and where 16-bit gradients cannot overflow by the
// sum.
double exact_loss_weight(std::size_t local_rows, std::size_t global_rows);
double per_rank_loss_weight(int ranks);

// After each backward pass, every rank's gradients are the sum over all ranks, with the same bits everywhere.
//
//   GradientReducer reducer{communicator, parameters};        // all ranks now hold rank 0's values
//   for each step:
//     zero gradients; backward pass, calling reducer.mark_ready(i, stream) as soon as gradient i is enqueued
//     reducer.finish(stream);                                 // work enqueued on `stream` from here on sees the sums
//
// To accumulate over several backward passes, call mark_ready() in the last one only. Threads: one at a time.
// Whoever destroys the reducer has made sure that no stream of his still uses its gradients; its own are
// waited for.
class GradientReducer {
 public:
  // Verifies that all ranks hold the same parameters, copies rank 0's values to all, and allocates gradients
  // (zero at first). The host waits for it. Throws ArgumentError for what is wrong on this rank,
  // CommunicationError for what differs between ranks. The communicator outlives the reducer, and so does the
  // parameters' memory.
  GradientReducer(Communicator& communicator, std::vector<Parameter> parameters, ReducerOptions options = {});

  // Waits for the reductions under way.
  ~GradientReducer();
  GradientReducer(GradientReducer&&) noexcept;
  GradientReducer& operator=(GradientReducer&&) noexcept;

  std::size_t size() const noexcept;          // parameters
  std::size_t bucket_count() const noexcept;  // reductions of a step

  // Where gradient i lives: the parameter's own, or else the reducer's memory. One of its own costs two
  // copies a step.
  const TensorView& gradient(std::size_t i) const;

  // Gradient i is complete once `stream` has passed this point; nobody changes it before finish(). When this
  // completes a bucket, its reduction is enqueued on a stream of the reducer. Any order; ranks may differ in
  // it. Throws ArgumentError for a gradient that was ready before in this pass.
  void mark_ready(std::size_t i, StreamRef stream);

  // For all gradients that are not ready yet: takes them as they are, or as zero (parameters that took no
  // part in this pass; a rank without rows).
  void mark_rest_ready(StreamRef stream);
  void zero_unready(StreamRef stream);

  // Ends the pass: `stream` waits until all gradients are reduced; the host does not. Throws ArgumentError,
  // naming them, where gradients are missing; then mark_rest_ready() or zero_unready(), and finish() again, end the
  // pass in order.
  void finish(StreamRef stream);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leat
