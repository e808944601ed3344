#include "leat/parallel/nccl/nccl_communicator_impl.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "leat/parallel/host/call_checks.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat::detail {
namespace {

cudaStream_t raw(StreamRef stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return ncclFloat16;
    case DType::bf16:
      return ncclBfloat16;
    case DType::f32:
      return ncclFloat32;
    case DType::f64:
      return ncclFloat64;
    case DType::i32:
      return ncclInt32;
    case DType::i64:
      return ncclInt64;
    default:
      throw ArgumentError(fmt::format("NCCL does not reduce {}", name_of(dtype)));
  }
}

ncclRedOp_t operation_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::max:
      return ncclMax;
    case ReduceOp::average:
      return ncclAvg;
    case ReduceOp::sum:
      break;
  }
  return ncclSum;
}

}  // namespace

NcclCommunicator::NcclCommunicator(const NcclApi& api, std::shared_ptr<TcpStore> store, Device& device,
                                   const NcclOptions& options)
    : api_(api),
      store_(std::move(store)),
      prefix_(next_prefix(*store_, options.prefix)),
      device_(device),
      token_(device.allocate(sizeof(std::int32_t))),
      stream_(device.make_stream()),
      event_(device.make_event()),
      handle_(connect(options.timeout)) {
  device_.fill_zero(token_.data(), token_.size(), stream_);
}

NcclHandle NcclCommunicator::connect(std::chrono::milliseconds timeout) {
  const ncclUniqueId id = exchange_id(timeout);
  try {
    return NcclHandle(api_, api_.device_of(token_.data()), size(), id, rank(), timeout,
                      [this] { return announced(); });
  } catch (const CommunicationError& error) {
    announce(error.what());  // NCCL does not tell the ranks that are still waiting
    throw;
  }
}

ncclUniqueId NcclCommunicator::exchange_id(std::chrono::milliseconds timeout) {
  ncclUniqueId id{};
  const std::string key = prefix_ + "/id";
  if (rank() == 0) {
    const ncclResult_t result = api_.get_unique_id(&id);
    if (result != ncclSuccess) {
      throw CommunicationError(fmt::format("ncclGetUniqueId: {} ({})", api_.get_error_string(result),
                                           api_.get_last_error(nullptr)));
    }
    store_->set(key, {id.internal, sizeof id.internal});
    return id;
  }
  const std::string bytes = store_->get(key, timeout);
  if (bytes.size() != sizeof id.internal) {
    throw CommunicationError(
        fmt::format("rank 0's NCCL id has {} bytes, not {}", bytes.size(), sizeof id.internal));
  }
  std::memcpy(id.internal, bytes.data(), bytes.size());
  return id;
}

std::string NcclCommunicator::engine() const {
  int version = 0;
  if (api_.get_version(&version) != ncclSuccess) return "nccl";
  return fmt::format("nccl {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

void NcclCommunicator::call(const char* name, const NcclHandle::Call& function) {
  try {
    handle_.call(name, function);
  } catch (const CommunicationError& error) {
    announce(error.what());
    throw;
  }
}

void NcclCommunicator::all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "all_reduce");
  check_reducible(data, op, "all_reduce");
  call("ncclAllReduce", [&](ncclComm_t handle) {
    return api_.all_reduce(data.data, data.data, data.count, type_of(data.dtype), operation_of(op), handle,
                           raw(stream));
  });
}

void NcclCommunicator::reduce_scatter(TensorSpan from, TensorSpan to, ReduceOp op, StreamRef stream) {
  check_stream(*this, stream);
  check_span(from, "reduce_scatter");
  check_span(to, "the result of reduce_scatter");
  check_scatter(*this, from, to);
  check_reducible(from, op, "reduce_scatter");
  call("ncclReduceScatter", [&](ncclComm_t handle) {
    return api_.reduce_scatter(from.data, to.data, to.count, type_of(from.dtype), operation_of(op), handle,
                               raw(stream));
  });
}

void NcclCommunicator::broadcast(TensorSpan data, int root, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "broadcast");
  check_root(*this, root);
  call("ncclBroadcast", [&](ncclComm_t handle) {
    return api_.broadcast(data.data, data.data, data.bytes(), ncclUint8, root, handle, raw(stream));
  });
}

void NcclCommunicator::all_gather(TensorSpan from, TensorSpan to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(from, "all_gather");
  check_span(to, "the result of all_gather");
  check_gather(*this, from, to);
  call("ncclAllGather", [&](ncclComm_t handle) {
    return api_.all_gather(from.data, to.data, from.bytes(), ncclUint8, handle, raw(stream));
  });
}

void NcclCommunicator::send(TensorSpan data, int to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "send");
  check_peer(*this, to, "send to");
  call("ncclSend", [&](ncclComm_t handle) {
    return api_.send(data.data, data.bytes(), ncclUint8, to, handle, raw(stream));
  });
}

void NcclCommunicator::recv(TensorSpan data, int from, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "recv");
  check_peer(*this, from, "recv from");
  call("ncclRecv", [&](ncclComm_t handle) {
    return api_.recv(data.data, data.bytes(), ncclUint8, from, handle, raw(stream));
  });
}

void NcclCommunicator::barrier() {
  all_reduce({.data = token_.data(), .count = 1, .dtype = DType::i32}, ReduceOp::sum, stream_);
  device_.record(event_, stream_);
  try {
    handle_.wait_until("barrier", [this] { return device_.passed(event_); });
  } catch (const CommunicationError& error) {
    announce(error.what());
    throw;
  }
  device_.synchronize(stream_.ref());  // the stream is empty; this throws its failure, if any
}

void NcclCommunicator::announce(std::string_view why) noexcept {
  try {
    if (announced().empty()) store_->set(prefix_ + "/aborted", fmt::format("rank {}: {}", rank(), why));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The store is gone, and so is rank 0. The other ranks notice that as this rank did, or by their own deadlines.
  }
}

std::string NcclCommunicator::announced() {
  return store_->try_get(prefix_ + "/aborted").value_or(std::string());
}

void NcclCommunicator::abort(std::string_view why) noexcept {
  announce(why);
  handle_.abort(why);
}

}  // namespace leat::detail
