#include "leat/parallel/gloo/gloo_engine.h"

#include <fmt/format.h>
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/broadcast.h>

#include <cstring>
#include <utility>

#include "leat/parallel/gloo/call_exchange.h"
#include "leat/parallel/gloo/gloo_context.h"
#include "leat/parallel/gloo/sigpipe_block.h"
#include "leat/parallel/host/lost_store.h"
#include "leat/parallel/host/private_memory.h"
#include "leat/parallel/host/reduce_kernels.h"

namespace leat::detail {

GlooEngine::GlooEngine(std::shared_ptr<TcpStore> store, std::string prefix, std::chrono::milliseconds timeout)
    : store_(std::move(store)),
      prefix_(std::move(prefix)),
      timeout_(timeout),
      context_(connect_all(*store_, prefix_, timeout)) {}

void GlooEngine::run(const CollectiveCall& call) {
  const SigpipeBlock block;
  throw_if_aborted();
  try {
    exchange_calls(*context_, call, timeout_);
    if (call.kind == CollectiveCall::Kind::allocate) *call.allocated = private_memory(call.data.count);
    if (call.data.count == 0) return;
    if (call.kind == CollectiveCall::Kind::all_reduce) all_reduce(call);
    if (call.kind == CollectiveCall::Kind::reduce_scatter) reduce_scatter(call);
    if (call.kind == CollectiveCall::Kind::broadcast) broadcast(call);
    if (call.kind == CollectiveCall::Kind::all_gather) all_gather(call);
    if (is_exchange(call)) transfer(*context_, call, timeout_);
  } catch (const CommunicationError& error) {
    fail(call, failure_of(error));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const auto peer = failed_peer(*context_, error.what());
    if (!peer) fail(call, failure_of(error));
    fail(call, {.kind = Failure::Kind::peer_lost,
                .ranks = {*peer},
                .text = fmt::format("rank {} was lost: {}", *peer, error.what())});
  }
}

void GlooEngine::fail(const CollectiveCall& call, const Failure& problem) {
  Failure reason = problem;
  try {
    reason = abort_reason().value_or(problem);
  } catch (const CommunicationError&) {
    // Without the store's rank, all ranks end their connections. Which ending this rank noticed first is chance, so
    // name that rank. If it is not in this group, its loss has ended nothing here.
    if (store_->server_rank()) reason = lost_store(*store_, problem.text);
  }
  reason.text = fmt::format("rank {}: {}: {}", rank(), describe(call), reason.text);
  raise(reason);
}

void GlooEngine::all_reduce(const CollectiveCall& call) {
  const TensorSpan& data = call.data;
  if (!is_half_precision(data.dtype)) return all_reduce(data.data, data.count, data.dtype, call);
  widened_.resize(data.count);
  widen(widened_.data(), data.data, data.dtype, data.count);
  all_reduce(widened_.data(), data.count, DType::f32, call);
  narrow(data.data, widened_.data(), data.dtype, data.count);
}

void GlooEngine::all_reduce(void* data, std::size_t count, DType dtype, const CollectiveCall& call) {
  gloo::AllreduceOptions options(context_);
  if (size_of(dtype) == sizeof(std::uint32_t)) {
    options.setOutput(static_cast<std::uint32_t*>(data), count);
  } else {
    options.setOutput(static_cast<std::uint64_t*>(data), count);
  }
  const ReduceKernel kernel = reduce_kernel(call.op, dtype);
  const std::size_t element = size_of(dtype);
  options.setReduceFunction([kernel, element](void* to, const void* a, const void* b, std::size_t n) {
    if (to == b) return kernel(to, a, n);
    if (to != a) std::memcpy(to, a, n * element);
    kernel(to, b, n);
  });
  options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
  options.setTag(static_cast<std::uint32_t>(call.number));
  options.setTimeout(timeout_);
  gloo::allreduce(options);
  if (call.op == ReduceOp::average) divide(data, dtype, count, size());
}

// Gloo's newer interface has none, and the order in which its all_reduce sums depends on the place of an element.
void GlooEngine::reduce_scatter(const CollectiveCall& call) {
  const auto* const from = static_cast<const std::byte*>(call.data.data);
  reduced_.assign(from, from + call.data.bytes());
  CollectiveCall whole = call;
  whole.data.data = reduced_.data();
  all_reduce(whole);
  const std::size_t part = call.result.bytes();
  std::memcpy(call.result.data, reduced_.data() + static_cast<std::size_t>(rank()) * part, part);
}

void GlooEngine::broadcast(const CollectiveCall& call) {
  gloo::BroadcastOptions options(context_);
  options.setOutput(static_cast<std::uint8_t*>(call.data.data), call.data.bytes());
  options.setRoot(call.root);
  options.setTag(static_cast<std::uint32_t>(call.number));
  options.setTimeout(timeout_);
  gloo::broadcast(options);
}

void GlooEngine::all_gather(const CollectiveCall& call) {
  auto* to = static_cast<std::uint8_t*>(call.result.data);
  auto* from = static_cast<std::uint8_t*>(call.data.data);
  const std::size_t bytes = call.data.bytes();
  gloo::AllgatherOptions options(context_);
  if (from != to + static_cast<std::size_t>(rank()) * bytes) options.setInput(from, bytes);  // else: in place
  options.setOutput(to, call.result.bytes());
  options.setTag(static_cast<std::uint32_t>(call.number));
  options.setTimeout(timeout_);
  gloo::allgather(options);
}

void GlooEngine::throw_if_aborted() {
  const std::lock_guard lock(mutex_);
  if (aborted_) raise(*aborted_);
}

std::optional<Failure> GlooEngine::abort_reason() {
  {
    const std::lock_guard lock(mutex_);
    if (aborted_) return aborted_;
  }
  const auto stored = store_->try_get(prefix_ + "/aborted");
  return stored ? std::optional(decode_failure(*stored)) : std::nullopt;
}

void GlooEngine::abort(const Failure& why) noexcept {
  try {
    {
      const std::lock_guard lock(mutex_);
      if (aborted_) return;
      aborted_ = why;
    }
    // Store the reason first: once the connections end, the other ranks look for it.
    try {
      if (!store_->try_get(prefix_ + "/aborted")) store_->set(prefix_ + "/aborted", encode(why));
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): on purpose
      // Without the store, the other ranks notice the end but do not learn the reason.
    }
    disconnect_all(*context_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): on purpose
    // Out of memory. The peers still have their deadlines.
  }
}

}  // namespace leat::detail
