#include "leat/parallel/nccl/nccl_communicator_impl.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "leat/parallel/host/call_checks.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat::detail {
namespace {

// For what the watchdog does after a barrier has exceeded its limit.
constexpr auto kWatchdogPatience = std::chrono::seconds(30);

constexpr auto kNewsInterval = std::chrono::milliseconds(100);

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
      timeout_(options.timeout),
      collective_timeout_(options.collective_timeout),
      device_(dynamic_cast<cuda::CudaDevice&>(device)),
      token_(device.allocate(sizeof(std::int32_t))),
      stream_(device.make_stream()),
      event_(device.make_event()),
      exchange_(*store_, prefix_),
      exchanges_(static_cast<std::size_t>(store_->world().world_size)),
      calls_(device_),
      handle_(connect()),
      communicator_watch_(handle_, calls_, history_, exchange_, size()),
      watch_(communicator_watch_) {
  device_.fill_zero(token_.data(), token_.size(), stream_);
}

// Ranks that wait for this one need not wait for an answer when they find out.
NcclCommunicator::~NcclCommunicator() {
  if (!owner_.is_current() || handle_.has_failed()) return;
  try {
    exchange_.report({.count = history_.report().count, .has_left = true});
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The store is gone, and so is rank 0. The others know.
  }
}

NcclHandle NcclCommunicator::connect() {
  try {
    exchange_.join();
    const ncclUniqueId id = exchange_id();
    return NcclHandle(
        api_, api_.device_of(token_.data()), size(), id, rank(), timeout_,
        {.news = [this] { return exchange_.news(); },
         .explain_timeout = [this](std::string text) { return explain_timeout(std::move(text)); },
         .before_abort = [this](const std::exception_ptr& why) { calls_.fail(why); },
         .ended_by_abort = [this](const Failure& why) { exchange_.announce(why); }});
  } catch (const CommunicationError& error) {
    raise_announced(error);  // NCCL does not tell the ranks that are still waiting
  }
}

ncclUniqueId NcclCommunicator::exchange_id() {
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
  std::optional<std::string> bytes;
  for (const Deadline deadline(timeout_); !bytes && !deadline.passed();) {
    bytes = store_->try_get(key, std::min<std::chrono::milliseconds>(deadline.left(), kNewsInterval));
    if (bytes) break;
    if (const auto failure = exchange_.news()) raise(*failure);
  }
  if (!bytes) {
    throw PeerSilent({0}, fmt::format("rank {}: rank 0 did not set \"{}\" in the store within {} ms", rank(),
                                      key, timeout_.count()));
  }
  if (bytes->size() != sizeof id.internal) {
    throw CommunicationError(
        fmt::format("rank 0's NCCL id has {} bytes, not {}", bytes->size(), sizeof id.internal));
  }
  std::memcpy(id.internal, bytes->data(), bytes->size());
  return id;
}

std::string NcclCommunicator::engine() const {
  int version = 0;
  if (api_.get_version(&version) != ncclSuccess) return "nccl";
  return fmt::format("nccl {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

void NcclCommunicator::call(const char* name, CollectiveCall what, StreamRef stream,
                            std::chrono::milliseconds limit, const NcclHandle::Call& function) {
  handle_.throw_if_failed();
  what.number = is_exchange(what) ? exchanges_[static_cast<std::size_t>(what.root)]++ : history_.add(what);
  const bool was_idle = calls_.empty();
  try {
    handle_.call(name, [&](ncclComm_t handle) {
      calls_.begin(what, stream, limit);
      return function(handle);
    });
    calls_.enqueued();
  } catch (const CommunicationError& error) {
    raise_announced(error);
  } catch (const Error& error) {  // of the device: the other ranks would wait for this one
    handle_.abort(exchange_.announce(failure_of(error)));
    throw;
  }
  if (was_idle) Watchdog::of_this_process().hurry(communicator_watch_, CommunicatorWatch::kBusyInterval);
}

void NcclCommunicator::raise_announced(const std::exception& error) {
  raise(exchange_.announce(failure_of(error)));
}

Failure NcclCommunicator::explain_timeout(std::string text) noexcept {
  try {
    std::vector<int> absent = exchange_.absent();
    if (absent.empty()) return {.kind = Failure::Kind::other, .ranks = {}, .text = std::move(text)};
    text += fmt::format("; {} did not come", name_ranks(absent, size()));
    return {.kind = Failure::Kind::peer_silent, .ranks = std::move(absent), .text = std::move(text)};
  } catch (const std::exception& error) {
    return failure_of(error);
  }
}

void NcclCommunicator::all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "all_reduce");
  check_reducible(data, op, "all_reduce");
  const CollectiveCall what{.kind = CollectiveCall::Kind::all_reduce, .op = op, .data = data};
  call("ncclAllReduce", what, stream, [&](ncclComm_t handle) {
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
  const CollectiveCall what{
      .kind = CollectiveCall::Kind::reduce_scatter, .op = op, .data = from, .result = to};
  call("ncclReduceScatter", what, stream, [&](ncclComm_t handle) {
    return api_.reduce_scatter(from.data, to.data, to.count, type_of(from.dtype), operation_of(op), handle,
                               raw(stream));
  });
}

void NcclCommunicator::broadcast(TensorSpan data, int root, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "broadcast");
  check_root(*this, root);
  const CollectiveCall what{.kind = CollectiveCall::Kind::broadcast, .root = root, .data = data};
  call("ncclBroadcast", what, stream, [&](ncclComm_t handle) {
    return api_.broadcast(data.data, data.data, data.bytes(), ncclUint8, root, handle, raw(stream));
  });
}

void NcclCommunicator::all_gather(TensorSpan from, TensorSpan to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(from, "all_gather");
  check_span(to, "the result of all_gather");
  check_gather(*this, from, to);
  const CollectiveCall what{.kind = CollectiveCall::Kind::all_gather, .data = from, .result = to};
  call("ncclAllGather", what, stream, [&](ncclComm_t handle) {
    return api_.all_gather(from.data, to.data, from.bytes(), ncclUint8, handle, raw(stream));
  });
}

void NcclCommunicator::send(TensorSpan data, int to, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "send");
  check_peer(*this, to, "send to");
  const CollectiveCall what{.kind = CollectiveCall::Kind::send, .root = to, .data = data};
  call("ncclSend", what, stream, [&](ncclComm_t handle) {
    return api_.send(data.data, data.bytes(), ncclUint8, to, handle, raw(stream));
  });
}

void NcclCommunicator::recv(TensorSpan data, int from, StreamRef stream) {
  check_stream(*this, stream);
  check_span(data, "recv");
  check_peer(*this, from, "recv from");
  const CollectiveCall what{.kind = CollectiveCall::Kind::recv, .root = from, .data = data};
  call("ncclRecv", what, stream, [&](ncclComm_t handle) {
    return api_.recv(data.data, data.bytes(), ncclUint8, from, handle, raw(stream));
  });
}

// Ranks that have memory do not wait here for one that has none, but learn of it before their next collective ends.
CommunicationBuffer NcclCommunicator::allocate(std::size_t bytes) {
  try {
    return Communicator::allocate(bytes);
  } catch (const Error& error) {
    abort(error.what());
    throw;
  }
}

void NcclCommunicator::barrier() {
  const CollectiveCall what{.kind = CollectiveCall::Kind::barrier};
  call("ncclAllReduce", what, stream_, timeout_, [this](ncclComm_t handle) {
    return api_.all_reduce(token_.data(), token_.data(), 1, ncclInt32, ncclSum, handle, raw(stream_));
  });
  device_.record(event_, stream_);
  try {
    handle_.wait_until(
        "barrier", [this] { return device_.passed(event_); }, timeout_ + kWatchdogPatience);
  } catch (const CommunicationError& error) {
    raise_announced(error);
  }
  device_.synchronize(stream_.ref());  // the stream is empty; this throws its failure, if any
}

void NcclCommunicator::abort(std::string_view why) noexcept {
  const std::string reason(why.empty() ? "the communicator was aborted" : why);
  handle_.abort(exchange_.announce({.kind = Failure::Kind::other, .ranks = {}, .text = reason}));
}

}  // namespace leat::detail
