/// \file
/// Collective communication between the ranks of a job.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/export.h"
#include "leat/transfer/device.h"

namespace leat {

/// Reports that a rank was lost or did not call in time, or that the ranks disagree. The communicator that throws it
/// cannot be used again.
class LEAT_EXPORT CommunicationError : public Error {
 public:
  using Error::Error;
};

/// Refers to consecutive elements in memory of a communicator's device, without owning them.
struct LEAT_EXPORT TensorSpan {
  void* data = nullptr;      ///< the first element
  std::size_t count = 0;     ///< number of elements
  DType dtype = DType::f32;  ///< type of each element

  /// Returns the length in bytes.
  std::size_t bytes() const noexcept { return count * size_of(dtype); }
};

/// Operations by which all_reduce() combines the elements of the ranks.
enum class ReduceOp {
  sum,  ///< the sum; integers wrap around
  max   ///< the maximum
};

/// Connects one rank to the others. Created by make_local_group(), make_gloo_communicator() and
/// make_nccl_communicator().
///
/// All ranks call the same collectives in the same order, with the same count and dtype. A collective is enqueued on
/// `stream`, a stream of the communicator's device, and the call returns. Throws ArgumentError for arguments that are
/// wrong on this rank; CommunicationError, for what fails between the ranks, is thrown by synchronize() of the stream.
///
/// One thread at a time uses a communicator; any thread may call abort().
class LEAT_EXPORT Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const noexcept = 0;        ///< this rank, from 0
  virtual int size() const noexcept = 0;        ///< number of ranks
  virtual std::string engine() const = 0;       ///< what carries the data: "local", "gloo", "nccl 2.28.9"
  virtual Device& device() const noexcept = 0;  ///< the device whose memory and streams the collectives take

  /// Replaces the elements by their sum or maximum over all ranks; all ranks then hold the same bits. Takes f32, f64,
  /// i32, i64, f16 and bf16; f16 and bf16 are summed in f32, except by NCCL.
  virtual void all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) = 0;
  /// Replaces the elements by those of rank `root`.
  virtual void broadcast(TensorSpan data, int root, StreamRef stream) = 0;
  /// Copies every rank's `from` to all ranks' `to`, which holds size() times as many elements, in rank order. `from`
  /// may be this rank's place in `to`.
  virtual void all_gather(TensorSpan from, TensorSpan to, StreamRef stream) = 0;

  /// Blocks the calling thread until all ranks have called it. Throws CommunicationError.
  virtual void barrier() = 0;

  /// Ends the communicator: calls that are waiting, on this rank and on others, throw CommunicationError with `why`,
  /// and so do all later calls.
  virtual void abort(std::string_view why) noexcept = 0;

 protected:
  Communicator() = default;
};

}  // namespace leat
