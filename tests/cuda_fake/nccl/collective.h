// A collective, or a transfer between two ranks: work of the streams of all ranks that take part.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_fake/machine.h"

namespace leat::cuda_fake {

enum class CollectiveKind { all_reduce, reduce_scatter, broadcast, all_gather, transfer };

// What all ranks must call alike.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::size_t count = 0;  // elements of each rank, of reduce_scatter: of each rank's result
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t op = ncclSum;  // of all_reduce and reduce_scatter
  std::size_t root = 0;      // of broadcast; of transfer: 0
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};
std::string to_string(const CollectiveCall& call);  // "all_reduce of 4 f32"

// Device memory, of which the fake itself uses the aliases.
struct Buffers {
  const std::byte* from = nullptr;
  const std::byte* from_alias = nullptr;
  std::byte* to = nullptr;
  std::byte* to_alias = nullptr;
  std::size_t from_bytes = 0, to_bytes = 0;
};

// Each rank's part is two nodes of its stream. The first one arrives. When all have arrived, the result is computed,
// and the second ones, which write it, become ready. Guarded by the machine's lock; work takes it.
class Collective : public std::enable_shared_from_this<Collective> {
 public:
  // `ranks` take part. What follows calls them by their places there: in a transfer, the sender is 0, the receiver 1.
  Collective(const CollectiveCall& call, std::vector<std::size_t> ranks)
      : call_(call), ranks_(std::move(ranks)), parts_(ranks_.size()) {}

  // Enqueues a rank's part behind `after`, if that is not null. Returns its second node.
  NodePtr enqueue(Machine::Lock& lock, Queue& queue, std::size_t rank, const Buffers& buffers,
                  const NodePtr& after);
  // Lets the rank's stream go on, unless the result is there. The other ranks' never will.
  void abort(std::size_t rank);
  // Never gives a result: the ranks do not agree.
  void give_up() { is_broken_ = true; }

  const CollectiveCall& call() const { return call_; }
  bool is_complete() const { return is_complete_; }

 private:
  struct Part {
    Buffers buffers{};
    NodePtr arrival{}, end{};  // null: the rank has not called
    bool is_aborted = false;
  };

  bool has_root() const {
    return call_.kind == CollectiveKind::broadcast || call_.kind == CollectiveKind::transfer;
  }
  bool depends_on(std::size_t rank, std::size_t other) const;
  void connect(std::size_t rank, std::size_t other);
  void close_parts();
  bool may_end(std::size_t rank) const { return is_complete_ || parts_[rank].is_aborted; }
  void arrive(std::size_t rank);
  void compute();
  void finish(std::size_t rank);

  const CollectiveCall call_;
  const std::vector<std::size_t> ranks_;
  std::vector<Part> parts_;
  std::vector<std::byte> result_;
  std::size_t arrived_ = 0;
  bool is_complete_ = false;
  bool is_broken_ = false;
};

}  // namespace leat::cuda_fake
