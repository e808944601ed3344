// One rank's call of a collective, as a value that ranks compare and engines carry out.
#pragma once

#include <cstdint>
#include <string>

#include "leat/parallel/communicator.h"

namespace leat::detail {

struct CollectiveCall {
  enum class Kind : std::uint8_t { all_reduce, reduce_scatter, broadcast, all_gather, barrier, allocate };

  Kind kind = Kind::barrier;
  ReduceOp op = ReduceOp::sum;  // all_reduce and reduce_scatter
  int root = 0;                 // broadcast
  TensorSpan data{};            // the input; also the output of all_reduce and broadcast; a size to allocate
  TensorSpan
      result{};  // the output of all_gather (size() times `data`) and of reduce_scatter (one part of `data`)
  std::uint64_t number = 0;                  // number of the call on this rank and communicator, from 0
  CommunicationBuffer* allocated = nullptr;  // output of allocate
};

// Returns whether two ranks' calls match: kind, op, root, count, dtype and number.
bool agree(const CollectiveCall& a, const CollectiveCall& b) noexcept;

std::string describe(const CollectiveCall& call);  // "all_reduce #12 (sum of 1000 f32)"

}  // namespace leat::detail
