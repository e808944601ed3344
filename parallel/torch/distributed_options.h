/// \file
/// Options and errors of leat::torch::DistributedDataParallel.
#pragma once

#include "leat/datasets/errors.h"
#include "leat/parallel/gradient_reducer.h"

namespace leat::torch {

/// How the gradients of the ranks become one.
enum class Averaging {
  per_rank,  ///< their mean, as in PyTorch: exact if every rank's loss is the mean over equally many rows
  rows,      ///< their mean, weighted by the rows that each rank names to set_rows()
  /// Their sum, for losses that are sums. Set gradients to zero, or call zero_grad(), after each pass that was reduced:
  /// what is left of it would be added once for each rank.
  none
};

/// When buffers, such as the running statistics of batch normalization, are copied from rank 0 to all ranks.
enum class BufferSync {
  on_request,  ///< when sync_buffers() is called, before an evaluation, for example
  every_pass   ///< at the end of every backward pass
};

/// Options of a DistributedDataParallel; the same on all ranks.
struct DistributedOptions {
  Averaging averaging = Averaging::per_rank;    ///< how the gradients of the ranks become one
  BufferSync buffers = BufferSync::every_pass;  ///< when buffers are copied from rank 0
  /// Whether parameters may take no part in a backward pass. The gradient of one that no rank used stays as it is:
  /// undefined, after zero_grad(). If false, a parameter that a rank did not use is an ArgumentError that names it.
  bool find_unused_parameters = false;
  /// Whether every backward pass uses the same parameters, and each of them equally often. The first pass counts that,
  /// on all ranks, and reduces when it has ended. Later passes do not wait for parameters that it did not use, which
  /// are allowed and keep undefined gradients, and parameters may get several gradients in a pass, as with
  /// checkpointing. A pass that differs is an ArgumentError that names the parameters.
  bool static_graph = false;
  /// Whether buckets are laid out anew after the first pass, in the order in which rank 0's gradients became ready in
  /// it, so that later passes begin to communicate early whatever the order of the module's parameters is. Gradients
  /// move to other memory then: drop tensors that share memory with them before that pass ends. Nothing moves later,
  /// nor if the first pass is captured into a CUDA graph.
  bool reorder_buckets = true;
  ReducerOptions reducer{};  ///< sizes of buckets, and how they travel
  /// LibTorch's current stream on the module's GPU; null is CUDA's default stream. The CPU has none.
  void* stream = nullptr;
};

/// Reports that a rank gave up the step. All ranks throw it, have the same parameters and gradients of zero, and may go
/// on with the next step.
class StepAbandoned : public Error {
 public:
  using Error::Error;
};

}  // namespace leat::torch
