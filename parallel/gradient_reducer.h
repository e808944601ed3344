/// \file
/// The reduction of gradients over all ranks, in buckets, while the backward pass still runs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/parameter.h"

namespace leat {

/// A bucket of gradients, for ReducerOptions::reduce_bucket.
struct LEAT_EXPORT GradientBucket {
  std::size_t index = 0;  ///< from 0 to GradientReducer::bucket_count() - 1
  TensorSpan
      data{};  ///< the gradients one after the other, each followed by zeros up to a multiple of 256 bytes
};

/// A function that replaces the all-reduce of a bucket.
using BucketFunction =
    std::function<void(const GradientBucket& bucket, Communicator& communicator, StreamRef stream)>;

/// Options of a GradientReducer; the same on all ranks.
struct LEAT_EXPORT ReducerOptions {
  /// Greatest size of a bucket, in MiB, as in PyTorch. A gradient that is larger has a bucket of its own.
  double bucket_cap_mb = 25;
  /// Greatest size of the first bucket, in MiB. A small one lets communication start early.
  double first_bucket_mb = 1;
  /// The dtype in which f32 gradients travel between the ranks: f16 or bf16, which halves the bytes. If it is not set,
  /// they travel as they are, as gradients of other dtypes always do. Each rank's gradients are rounded to it, summed
  /// in f32, and the sum is rounded to it; all ranks get the same bits. With u = 2^-11 for f16 and 2^-8 for bf16, the
  /// result differs from the exact sum over up to 500 ranks by at most 2.1 u times the sum of the magnitudes, plus, for
  /// subnormal numbers, 2^-24 for each rank in f16 and 2^-133 in bf16. In f16, gradients and sums from 65520 on
  /// become infinite, which LossScaler notices. For the host device only.
  std::optional<DType> wire{};
  /// Replaces the all-reduce of each bucket, for example by one that compresses. It is called when a bucket's gradients
  /// are ready, by the call that marks the last one, for all buckets in the order of their indices. It enqueues on
  /// `stream` what leaves the result in the bucket on all ranks, and returns; it must not use the reducer. It may use
  /// the communicator, in the same way on all ranks. If it throws, the communicator is aborted, since the ranks are no
  /// longer in step, and the call that marked the gradient throws the exception.
  BucketFunction reduce_bucket{};
};

/// Returns n_r / N, for `local_rows` n_r and `global_rows` N: the weight of a rank's mean loss that makes the sum of
/// the ranks' gradients, which GradientReducer computes, the gradient of the mean over the global batch. Apply the
/// weight to the loss: there it costs nothing, and the sum of 16-bit gradients cannot overflow. Throws ArgumentError
/// unless n_r <= N and N > 0.
LEAT_EXPORT double exact_loss_weight(std::size_t local_rows, std::size_t global_rows);

/// Returns 1 / R for R ranks: the weight that makes the sum of the ranks' gradients the mean over the ranks, as in
/// PyTorch's DistributedDataParallel. It is the gradient of the mean over the global batch only if all ranks have
/// equally many rows; rows split 3 to 1 can give -10.667 instead of -7. Throws ArgumentError for fewer than one rank.
LEAT_EXPORT double per_rank_loss_weight(int ranks);

/// What the ranks tell each other at the end of a backward pass.
struct LEAT_EXPORT PassOutcome {
  std::vector<bool> used{};  ///< for each gradient, whether any rank marked it as ready
  /// A rank that gave the pass up, the greatest if several did; -1: none did. Then the gradients are zero on all ranks.
  int abandoned_by = -1;
};

/// Replaces every rank's gradients by their sum over all ranks, with the same bits everywhere, after each backward
/// pass.
///
///     GradientReducer reducer{communicator, parameters};  // all ranks now hold rank 0's values
///     for each step:
///       zero the gradients
///       backward pass; as soon as gradient i is enqueued: reducer.mark_ready(i, stream)
///       reducer.finish(stream);                           // work enqueued on `stream` from here on sees the sums
///
/// To accumulate gradients over several backward passes, call mark_ready() in the last one only. One thread at a time
/// uses a reducer. When it is destroyed, no stream of the caller may still use its gradients.
class LEAT_EXPORT GradientReducer {
 public:
  /// Verifies that all ranks have the same parameters, copies rank 0's values to all ranks, and allocates gradients,
  /// zero at first; waits until this is done. The communicator and the parameters' memory outlive the reducer. Throws
  /// ArgumentError for what is wrong on this rank, CommunicationError for what differs between ranks.
  GradientReducer(Communicator& communicator, std::vector<Parameter> parameters,
                  const ReducerOptions& options = {});

  /// Waits for the reductions under way.
  ~GradientReducer();
  /// Takes over the other's parameters and gradients.
  GradientReducer(GradientReducer&&) noexcept;
  /// Waits for the reductions under way, and takes over the other's parameters and gradients.
  GradientReducer& operator=(GradientReducer&&) noexcept;

  std::size_t size() const noexcept;          ///< number of parameters
  std::size_t bucket_count() const noexcept;  ///< number of reductions in each pass

  /// Returns gradient i. It is in the memory that its Parameter names or, if that is null, in the reducer's memory.
  /// Memory named by the Parameter costs two copies in each pass. Throws ArgumentError if there is no such gradient.
  const TensorView& gradient(std::size_t i) const;

  /// Marks gradient i as complete once `stream` has passed this point. It must not be changed from then until
  /// finish(). When all gradients of a bucket are marked, its reduction is enqueued on a stream of the reducer.
  /// Gradients may be marked in any order, which may differ between ranks. Throws ArgumentError for a gradient that
  /// does not exist, or that was marked before in this pass.
  void mark_ready(std::size_t i, StreamRef stream);

  /// Marks gradient i as complete now. For the host device only: throws ArgumentError on a GPU, whose work runs later,
  /// and for what the other mark_ready() throws ArgumentError.
  void mark_ready(std::size_t i);

  /// Tells whether gradient i is marked in this pass. Throws ArgumentError if there is no such gradient.
  bool is_ready(std::size_t i) const;
  /// Tells whether a pass has begun: a gradient is marked, and finish() has not been called.
  bool in_pass() const noexcept;

  /// Returns the sum of all ranks' `local_rows`, for exact_loss_weight(). All ranks call it between two passes, and
  /// wait for each other. Throws CommunicationError.
  std::size_t global_rows(std::size_t local_rows);

  /// Marks all gradients that are not marked yet, with the values they have.
  void mark_rest_ready(StreamRef stream);

  /// Sets all gradients that are not marked yet to zero, and marks them: for parameters that took no part in the
  /// backward pass, and for a rank that had no rows.
  void zero_unready(StreamRef stream);

  /// Ends the pass: makes `stream` wait until all gradients are reduced; the host does not wait. Throws ArgumentError
  /// if gradients were not marked, naming them; after mark_rest_ready() or zero_unready(), finish() can be called
  /// again. Throws CommunicationError if the communicator has failed. If it fails later, synchronize() of `stream`
  /// throws: synchronize before the gradients, or what was computed from them, are kept.
  void finish(StreamRef stream);

  /// Ends the pass on all ranks, which all call this instead of finish(), and waits: gradients that are not marked
  /// count as zero, and the ranks tell each other what they marked. `abandon` gives the pass up, for example after an
  /// exception in the backward pass: the other ranks do not wait for this one, and learn of it. `stream` is one on
  /// which the unmarked gradients are set to zero. Throws CommunicationError.
  PassOutcome finish_together(StreamRef stream, bool abandon = false);

  /// Lays the buckets out anew, in the order in which rank 0's gradients became ready in its last pass, so that the
  /// first buckets are complete early. At first the order is that of the parameters, reversed. Returns whether anything
  /// changed; if the order is the same, nothing does.
  ///
  /// All ranks call it between two passes, usually once, after the first one, and wait for each other and for `stream`,
  /// to which finish() was told. Gradients in the reducer's memory move to other addresses, with their values: call
  /// gradient() again, and capture CUDA graphs afterwards. No other stream may still use them. Gradients in memory that
  /// their Parameters name stay. Needs memory for all gradients a second time while it runs.
  ///
  /// Throws ArgumentError within a pass, before the first one, and if `stream` is being captured; CommunicationError.
  bool reorder_buckets(StreamRef stream);

  /// Clips the reduced gradients, all of them, as the function clip_gradient_norm() does, and returns the norm that
  /// they had. All ranks have the same gradients, so they get the same norm and gradients without communication. Call
  /// it between two passes, with the stream that finish() was told; it waits until that stream has the sums. For the
  /// host device only: throws ArgumentError on a GPU and within a pass, and what the function clip_gradient_norm()
  /// throws.
  double clip_gradient_norm(double max_norm, StreamRef stream, bool error_if_nonfinite = false);

  /// Divides the reduced gradients by `scale`, as unscale_gradients() does, and returns what agree_on_overflow()
  /// returns: whether a gradient of any rank is infinite or NaN. All ranks call it, where they could call
  /// clip_gradient_norm(), and wait for each other. For the host device only, as clip_gradient_norm(); throws what
  /// unscale_gradients() and agree_on_overflow() throw.
  bool unscale(double scale, StreamRef stream);

  /// Returns whether any rank passes true for `overflow`: whether to skip a step is decided by all ranks together, also
  /// if something overflowed that they do not share. All ranks call it between two passes, and wait for each other.
  /// Throws CommunicationError, on all ranks, if they pass different scales of their losses.
  bool agree_on_overflow(bool overflow, double scale);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leat
