// One rank's call of a collective, or of an exchange with one other rank, as a value that ranks compare and engines
// carry out.
#pragma once

#include <cstdint>
#include <string>

#include "leat/parallel/communicator.h"

namespace leat::detail {

struct CollectiveCall {
  enum class Kind : std::uint8_t {
    all_reduce,
    reduce_scatter,
    broadcast,
    all_gather,
    barrier,
    allocate,
    send,
    recv
  };

  Kind kind = Kind::barrier;
  ReduceOp op = ReduceOp::sum;  // all_reduce and reduce_scatter
  int root = 0;                 // broadcast; the other rank of send and recv
  TensorSpan data{};            // the input; also the output of all_reduce and broadcast; a size to allocate
  TensorSpan
      result{};  // the output of all_gather (size() times `data`) and of reduce_scatter (one part of `data`)
  std::uint64_t number =
      0;                   // number among the collectives, or among the exchanges with the other rank, from 0
  std::uint64_t turn = 0;  // place in the order of all calls of this rank; not compared
  CommunicationBuffer* allocated = nullptr;  // output of allocate
};

bool is_exchange(const CollectiveCall& call) noexcept;  // send or recv

// Returns whether the calls of two ranks that exchange data match: one sends what the other receives.
bool agree_to_exchange(const CollectiveCall& a, const CollectiveCall& b) noexcept;

// Returns whether two ranks' calls of a collective match: kind, op, root, count, dtype and number.
bool agree(const CollectiveCall& a, const CollectiveCall& b) noexcept;

std::string describe(const CollectiveCall& call);  // "all_reduce #12 (sum of 1000 f32)"

}  // namespace leat::detail
