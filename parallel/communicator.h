// Collective communication between ranks. One interface; local/ joins replicas of one process, gloo/
// processes on CPUs, nccl/ GPUs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "leat/datasets/dtype.h"
#include "leat/datasets/errors.h"
#include "leat/transfer/device.h"

namespace leat {

// A rank was lost, timed out, or the ranks disagree. After it the communicator is dead.
class CommunicationError : public Error {
 public:
  using Error::Error;
};

// Elements that follow each other in memory of the communicator's device.
struct TensorSpan {
  void* data = nullptr;
  std::size_t count = 0;
  DType dtype = DType::f32;
  std::size_t bytes() const noexcept { return count * size_of(dtype); }
};

enum class ReduceOp { sum, max };

// One per rank. Every rank calls the same collectives in the same order with the same count and dtype.
// Collectives are enqueued on `stream`, a stream of the communicator's device, and the call returns; what
// fails is thrown by synchronize() of that stream. One thread at a time uses a communicator; abort() may be
// called by any.
class Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;        // number of ranks
  virtual std::string engine() const = 0;       // "local", "gloo", "nccl 2.28.9"
  virtual Device& device() const noexcept = 0;  // whose memory and streams it takes

  // In place; afterwards all ranks hold the same bits. f32, f64, i32, i64; f16 and bf16 are summed in f32.
  virtual void all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) = 0;
  virtual void broadcast(TensorSpan data, int root, StreamRef stream) = 0;
  // `to` holds size() times the elements of `from`, in rank order.
  virtual void all_gather(TensorSpan from, TensorSpan to, StreamRef stream) = 0;

  // Blocks the calling thread until every rank is here. Throws CommunicationError.
  virtual void barrier() = 0;

  // Ends this rank's part: everybody who waits, here and on other ranks, gets a CommunicationError with
  // `why`.
  virtual void abort(std::string_view why) noexcept = 0;

 protected:
  Communicator() = default;
};

}  // namespace leat
