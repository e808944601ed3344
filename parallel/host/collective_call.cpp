#include "leat/parallel/host/collective_call.h"

#include <fmt/format.h>

namespace leat::detail {
namespace {

const char* name_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::max:
      return "max";
    case ReduceOp::average:
      return "average";
    case ReduceOp::sum:
      break;
  }
  return "sum";
}

}  // namespace

bool is_exchange(const CollectiveCall& call) noexcept {
  return call.kind == CollectiveCall::Kind::send || call.kind == CollectiveCall::Kind::recv;
}

bool agree_to_exchange(const CollectiveCall& a, const CollectiveCall& b) noexcept {
  return is_exchange(a) && is_exchange(b) && a.kind != b.kind && a.data.count == b.data.count &&
         a.data.dtype == b.data.dtype && a.number == b.number;
}

bool agree(const CollectiveCall& a, const CollectiveCall& b) noexcept {
  return a.kind == b.kind && a.op == b.op && a.root == b.root && a.data.count == b.data.count &&
         a.data.dtype == b.data.dtype && a.number == b.number;
}

std::string describe(const CollectiveCall& call) {
  const std::string elements = fmt::format("{} {}", call.data.count, leat::name_of(call.data.dtype));
  switch (call.kind) {
    case CollectiveCall::Kind::all_reduce:
      return fmt::format("all_reduce #{} ({} of {})", call.number, name_of(call.op), elements);
    case CollectiveCall::Kind::reduce_scatter:
      return fmt::format("reduce_scatter #{} ({} of {})", call.number, name_of(call.op), elements);
    case CollectiveCall::Kind::broadcast:
      return fmt::format("broadcast #{} ({} from rank {})", call.number, elements, call.root);
    case CollectiveCall::Kind::all_gather:
      return fmt::format("all_gather #{} ({} of each rank)", call.number, elements);
    case CollectiveCall::Kind::allocate:
      return fmt::format("allocate #{} ({} bytes)", call.number, call.data.count);
    case CollectiveCall::Kind::send:
      return fmt::format("send #{} ({} to rank {})", call.number, elements, call.root);
    case CollectiveCall::Kind::recv:
      return fmt::format("recv #{} ({} from rank {})", call.number, elements, call.root);
    case CollectiveCall::Kind::barrier:
      break;
  }
  return fmt::format("barrier #{}", call.number);
}

}  // namespace leat::detail
