/// \file
/// Collective communication between the ranks of a job.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/datasets/dtype.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/export.h"
#include "leat/transfer/device.h"

namespace leat {

/// Reports that communication between ranks failed: a rank was lost (PeerLost) or did not call in time (PeerSilent),
/// the ranks disagree (Disagreement), or a rank called abort(). The communicator that throws it cannot be used again:
/// every later call throws an error of the same type.
class LEAT_EXPORT CommunicationError : public Error {
 public:
  using Error::Error;
};

/// Reports that a rank died, or that it destroyed its communicator while others still use theirs.
class LEAT_EXPORT PeerLost : public CommunicationError {
 public:
  /// `rank` is the rank that was lost; `what` is the message.
  PeerLost(int rank, const std::string& what) : CommunicationError(what), rank_(rank) {}

  /// Returns the rank that was lost.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// Reports that ranks did not come to a collective, or to an exchange of two ranks, within the timeout.
class LEAT_EXPORT PeerSilent : public CommunicationError {
 public:
  /// `ranks` are the ranks that did not come, in ascending order; `what` is the message.
  PeerSilent(std::vector<int> ranks, const std::string& what)
      : CommunicationError(what), ranks_(std::move(ranks)) {}

  /// Returns the ranks that did not come, in ascending order.
  const std::vector<int>& ranks() const noexcept { return ranks_; }

 private:
  std::vector<int> ranks_;
};

/// Reports that the ranks call different collectives, or the same one with different arguments. The message contains
/// the calls of two ranks that differ.
class LEAT_EXPORT Disagreement : public CommunicationError {
 public:
  /// `ranks` are the ranks whose calls the message contains, in ascending order; `what` is the message.
  Disagreement(std::vector<int> ranks, const std::string& what)
      : CommunicationError(what), ranks_(std::move(ranks)) {}

  /// Returns the ranks whose calls the message contains, in ascending order. Their calls differ.
  const std::vector<int>& ranks() const noexcept { return ranks_; }

 private:
  std::vector<int> ranks_;
};

/// Refers to consecutive elements in memory of a communicator's device, without owning them.
struct LEAT_EXPORT TensorSpan {
  void* data = nullptr;      ///< the first element
  std::size_t count = 0;     ///< number of elements
  DType dtype = DType::f32;  ///< type of each element

  /// Returns the length in bytes.
  std::size_t bytes() const noexcept { return count * size_of(dtype); }
};

/// Operations by which all_reduce() and reduce_scatter() combine the elements of the ranks.
enum class ReduceOp {
  sum,     ///< the sum; integers wrap around
  max,     ///< the maximum
  average  ///< the sum divided by the number of ranks; f32, f64, f16 and bf16 only
};

/// Owns memory that Communicator::allocate() returned. Movable, not copyable. May be destroyed before or after its
/// communicator. No stream may still use the memory when it is freed.
class LEAT_EXPORT CommunicationBuffer {
 public:
  /// Holds no memory.
  CommunicationBuffer() = default;
  /// Holds `size` bytes at `data`, which are freed with `owner`; for communicators.
  CommunicationBuffer(std::byte* data, std::size_t size, std::shared_ptr<void> owner) noexcept
      : data_(data), size_(size), owner_(std::move(owner)) {}
  /// Takes over the memory of `other`, which then holds none.
  CommunicationBuffer(CommunicationBuffer&& other) noexcept { swap(other); }
  /// Frees the memory held, and takes over that of `other`.
  CommunicationBuffer& operator=(CommunicationBuffer&& other) noexcept {
    CommunicationBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~CommunicationBuffer() = default;

  std::byte* data() const noexcept { return data_; }   ///< the address; null if no memory is held
  std::size_t size() const noexcept { return size_; }  ///< in bytes

 private:
  void swap(CommunicationBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    owner_.swap(other.owner_);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<void> owner_;  // of a type that the communicator knows; not shared with other buffers
};

/// Connects one rank to the others. Created by make_local_group(), make_shared_memory_communicator(),
/// make_gloo_communicator() and make_nccl_communicator().
///
/// All ranks call the same collectives in the same order, with the same count and dtype. A collective is enqueued on
/// `stream`, a stream of the communicator's device, and the call returns. Throws ArgumentError for arguments that are
/// wrong on this rank; CommunicationError, for what fails between the ranks, is thrown by synchronize() of the stream.
///
/// send() and recv() concern two ranks only, and are enqueued in the same way. The calls of a rank on one communicator,
/// collectives, sends and receives alike, run one at a time in the order in which they were made, whatever their
/// streams. Two ranks must call what they exchange in the same order: the n-th send or receive of a rank with a peer
/// meets the n-th receive or send of the peer with this rank. A send waits for its receive, and a receive for its send,
/// as a collective waits for all ranks. So
///   - of two ranks that exchange data, one sends first and the other receives first. If both send first, both wait:
///     that is a Disagreement, except with NCCL, where both streams stop;
///   - all calls of all ranks must fit into one order, in which each call stands at one place with its counterparts. A
///     ring in which every rank sends first does not fit, nor does a send to a rank whose next call is a collective:
///     the ranks wait until the timeout and throw PeerSilent, or with NCCL their streams stop;
///   - exchanges that should not wait for each other need communicators of their own, for example one for each
///     direction between two stages of a pipeline (World::group()).
///
/// On CPUs, each wait for other ranks is limited by the communicator's timeout. A call whose turn has not come, because
/// the stream of an earlier one has not reached that, fails after twice the timeout, not counting the time in which
/// calls of this rank run.
///
/// One thread at a time uses a communicator; any thread may call abort(). In a forked process, a communicator that was
/// made by the parent throws CommunicationError; destroying it there has no effect on the parent.
class LEAT_EXPORT Communicator {
 public:
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const noexcept = 0;        ///< this rank, from 0
  virtual int size() const noexcept = 0;        ///< number of ranks
  virtual std::string engine() const = 0;       ///< what carries the data: "local", "gloo", ...
  virtual Device& device() const noexcept = 0;  ///< the device whose memory and streams the collectives take

  /// Replaces the elements by their sum, maximum or average over all ranks; all ranks then hold the same bits. Takes
  /// f32, f64, f16 and bf16, and for sums and maxima also i32 and i64: the average of integers would have to be
  /// rounded, so it is an ArgumentError. f16 and bf16 are summed and divided in f32, and rounded once, except by NCCL.
  /// An average is the sum divided by size(), except by NCCL, which may round otherwise.
  virtual void all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) = 0;
  /// Combines `from` over all ranks as all_reduce() does, and writes this rank's part of the result to `to`: `from`
  /// holds size() times as many elements as `to`, in rank order, and rank r gets part r. `to` may be this rank's place
  /// in `from`; otherwise the two must not overlap. `from` keeps its elements, except where `to` lies. The result has
  /// the bits of all_reduce(), except by NCCL. Over Gloo it costs as much as all_reduce().
  virtual void reduce_scatter(TensorSpan from, TensorSpan to, ReduceOp op, StreamRef stream) = 0;
  /// Replaces the elements by those of rank `root`.
  virtual void broadcast(TensorSpan data, int root, StreamRef stream) = 0;
  /// Copies every rank's `from` to all ranks' `to`, which holds size() times as many elements, in rank order. `from`
  /// may be this rank's place in `to`.
  virtual void all_gather(TensorSpan from, TensorSpan to, StreamRef stream) = 0;

  /// Sends the elements to rank `to`, which calls recv() with the same count and dtype. When the stream has passed the
  /// call, the memory may be changed. Takes all dtypes.
  ///
  /// Throws ArgumentError if `to` is this rank or no rank. On the stream: Disagreement if the count or the dtype
  /// differs or the peer sends, too; PeerSilent if the peer does not come within the timeout; PeerLost if it is gone.
  /// NCCL does not compare counts and dtypes.
  virtual void send(TensorSpan data, int to, StreamRef stream) = 0;
  /// Replaces the elements by those that rank `from` sends by its send(). Throws as send().
  virtual void recv(TensorSpan data, int from, StreamRef stream) = 0;

  /// Returns memory of device(), aligned to 64 bytes or more, that the collectives of this communicator use without
  /// intermediate copies. The memory is not initialized. Collectives also take any other memory of the device.
  ///
  /// A collective: all ranks call it in the same order, with the same number of bytes; it may block the calling thread
  /// until they have. Throws Disagreement if the ranks ask for different sizes, and MemoryError or DeviceError if this
  /// rank has not enough memory, in which case the other ranks get a CommunicationError.
  virtual CommunicationBuffer allocate(std::size_t bytes);

  /// Blocks the calling thread until all ranks have called it. Throws CommunicationError.
  virtual void barrier() = 0;

  /// Throws the CommunicationError of a communicator that has failed; otherwise returns at once. What is enqueued on
  /// streams may still fail later. Unless an engine overrides it, this does nothing.
  virtual void throw_if_failed() {}

  /// Ends the communicator: calls that are waiting, on this rank and on others, throw CommunicationError with `why`,
  /// and so do all later calls.
  virtual void abort(std::string_view why) noexcept = 0;

 protected:
  Communicator() = default;
};

}  // namespace leat
