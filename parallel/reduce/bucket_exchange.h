// The reduction of one bucket over all ranks: in its own dtype, in that of the wire, or by the user's function.
#pragma once

#include <cstddef>

#include "leat/parallel/gradient_reducer.h"
#include "leat/parallel/reduce/bucket_layout.h"

namespace leat::detail {

// One thread at a time uses it, with one stream, which must be empty when the layout changes and when the object is
// destroyed.
class BucketExchange {
 public:
  // Throws ArgumentError for a wire that is neither f16 nor bf16, not on the host device, or given beside a function.
  BucketExchange(Communicator& communicator, const ReducerOptions& options);

  // Allocates what buckets of this layout need: a collective, as Communicator::allocate().
  void lay_out(const BucketLayout& layout);

  // Enqueues the reduction of bucket `index`, whose elements are `data`. If the user's function throws,
  // aborts the communicator, because other ranks may be in the middle of the reduction, and throws what it threw.
  void reduce(std::size_t index, const TensorSpan& data, StreamRef stream);

 private:
  void reduce_on_wire(const TensorSpan& data, StreamRef stream);
  void call_function(std::size_t index, const TensorSpan& data, StreamRef stream);

  Communicator& communicator_;
  const std::optional<DType> wire_;
  const BucketFunction function_;
  CommunicationBuffer wire_buffer_{};  // of the largest bucket; used by one after the other
};

}  // namespace leat::detail
