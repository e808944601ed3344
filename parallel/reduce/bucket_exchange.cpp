#include "leat/parallel/reduce/bucket_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "leat/parallel/host/reduce_kernels.h"

namespace leat::detail {

BucketExchange::BucketExchange(Communicator& communicator, const ReducerOptions& options)
    : communicator_(communicator), wire_(options.wire), function_(options.reduce_bucket) {
  if (!wire_) return;
  if (!is_half_precision(*wire_))
    throw ArgumentError(fmt::format("the wire is {}; it must be f16 or bf16", name_of(*wire_)));
  if (function_)
    throw ArgumentError("wire and reduce_bucket are both given; the function chooses what travels");
  if (communicator_.device().kind() != DeviceKind::host) {
    throw ArgumentError(
        fmt::format("a wire of {} is for the host device; on {}, give reduce_bucket a function",
                    name_of(*wire_), communicator_.device().name()));
  }
}

void BucketExchange::lay_out(const BucketLayout& layout) {
  if (!wire_) return;
  std::size_t bytes = 1;
  for (const Bucket& bucket : layout.buckets) {
    if (bucket.dtype == DType::f32) bytes = std::max(bytes, bucket.bytes / 2);
  }
  wire_buffer_ = communicator_.allocate(bytes);
}

void BucketExchange::reduce(std::size_t index, const TensorSpan& data, StreamRef stream) {
  if (function_) {
    call_function(index, data, stream);
  } else if (wire_ && data.dtype == DType::f32) {
    reduce_on_wire(data, stream);
  } else {
    communicator_.all_reduce(data, ReduceOp::sum, stream);
  }
}

void BucketExchange::reduce_on_wire(const TensorSpan& data, StreamRef stream) {
  const TensorSpan small{.data = wire_buffer_.data(), .count = data.count, .dtype = *wire_};
  Device& device = communicator_.device();
  auto* const exact = static_cast<float*>(data.data);
  device.enqueue(stream, [small, exact] { narrow(small.data, exact, small.dtype, small.count); });
  communicator_.all_reduce(small, ReduceOp::sum, stream);
  device.enqueue(stream, [small, exact] { widen(exact, small.data, small.dtype, small.count); });
}

void BucketExchange::call_function(std::size_t index, const TensorSpan& data, StreamRef stream) {
  const auto abort = [&](const char* why) {
    communicator_.abort(fmt::format("rank {}: ReducerOptions::reduce_bucket threw for bucket {}: {}",
                                    communicator_.rank(), index, why));
  };
  try {
    function_({.index = index, .data = data}, communicator_, stream);
  } catch (const std::exception& error) {
    abort(error.what());
    throw;
  } catch (...) {
    abort("an unknown exception");
    throw;
  }
}

}  // namespace leat::detail
