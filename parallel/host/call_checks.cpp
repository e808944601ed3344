#include "leat/parallel/host/call_checks.h"

#include <fmt/format.h>

#include <functional>

#include "leat/datasets/base/checked.h"
#include "leat/parallel/host/reduce_kernels.h"

namespace leat::detail {

void check_process(const ProcessIdentity& owner, std::string_view what) {
  if (owner.is_current()) return;
  throw CommunicationError(
      fmt::format("{} belongs to another process, from which this one was forked", what));
}

void check_stream(const Communicator& communicator, StreamRef stream) {
  if (&stream.device() == &communicator.device()) return;
  throw ArgumentError(fmt::format("a communicator on {} was given a stream of {}",
                                  communicator.device().name(), stream.device().name()));
}

void check_span(TensorSpan span, std::string_view what) {
  checked_multiply(span.count, size_of(span.dtype));  // throws if the bytes cannot be counted
  if (span.data != nullptr || span.count == 0) return;
  throw ArgumentError(fmt::format("{} of {} {} has no memory", what, span.count, name_of(span.dtype)));
}

void check_reducible(TensorSpan data, ReduceOp op, std::string_view what) {
  if (is_reducible(data.dtype, op)) return;
  if (op == ReduceOp::average) {
    throw ArgumentError(fmt::format("an average takes f32, f64, f16 and bf16, not {}", name_of(data.dtype)));
  }
  throw ArgumentError(
      fmt::format("{} takes f32, f64, f16, bf16, i32 and i64, not {}", what, name_of(data.dtype)));
}

void check_root(const Communicator& communicator, int root) {
  if (root >= 0 && root < communicator.size()) return;
  throw ArgumentError(fmt::format("root {} is no rank of {}", root, communicator.size()));
}

void check_peer(const Communicator& communicator, int peer, std::string_view what) {
  if (peer == communicator.rank()) throw ArgumentError(fmt::format("{} rank {} itself", what, peer));
  if (peer >= 0 && peer < communicator.size()) return;
  throw ArgumentError(fmt::format("{} rank {}, which is no rank of {}", what, peer, communicator.size()));
}

void check_gather(const Communicator& communicator, TensorSpan from, TensorSpan to) {
  const std::size_t wanted = checked_multiply(from.count, static_cast<std::size_t>(communicator.size()));
  if (from.dtype == to.dtype && to.count == wanted) return;
  throw ArgumentError(fmt::format("all_gather of {} {} over {} ranks needs room for {} {}, but got {} {}",
                                  from.count, name_of(from.dtype), communicator.size(), wanted,
                                  name_of(from.dtype), to.count, name_of(to.dtype)));
}

void check_scatter(const Communicator& communicator, TensorSpan from, TensorSpan to) {
  const std::size_t wanted = checked_multiply(to.count, static_cast<std::size_t>(communicator.size()));
  if (from.dtype != to.dtype || from.count != wanted) {
    throw ArgumentError(fmt::format("reduce_scatter into {} {} over {} ranks takes {} {}, but got {} {}",
                                    to.count, name_of(to.dtype), communicator.size(), wanted,
                                    name_of(to.dtype), from.count, name_of(from.dtype)));
  }
  if (to.count == 0) return;
  const auto* const source = static_cast<const std::byte*>(from.data);
  const auto* const target = static_cast<const std::byte*>(to.data);
  const std::less<> before;
  if (!before(target, source + from.bytes()) || !before(source, target + to.bytes())) return;
  const std::size_t place = static_cast<std::size_t>(communicator.rank()) * to.bytes();
  if (target == source + place) return;
  throw ArgumentError(
      fmt::format("the result of reduce_scatter overlaps what it reads, but is not rank {}'s place there, {} "
                  "bytes from the start",
                  communicator.rank(), place));
}

}  // namespace leat::detail
