#include "leat/parallel/gloo/gloo_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gloo/common/error.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/unbound_buffer.h>
#include <sched.h>

#include <exception>

#include "leat/loader/os/service_thread.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/gloo/gloo_store.h"
#include "leat/parallel/gloo/signaling_device.h"
#include "leat/parallel/gloo/sigpipe_block.h"

namespace leat::detail {
namespace {

constexpr std::uint64_t kProbeSlot = 0x41ULL << 56;  // no collective's slot: Gloo uses prefixes 0x01 to 0x08

// Creates Gloo's device on a thread of its own, from which Gloo's event loop inherits its scheduling policy and
// signal mask. The loop polls at full speed while another thread holds the lock of the connection that has an event.
// If there are more threads than cores, it takes time from the very thread it waits for, unless the scheduler treats
// it as a batch job. If that policy is refused, Gloo is slower.
std::shared_ptr<gloo::transport::Device> make_device(const std::string& address) {
  std::shared_ptr<gloo::transport::Device> device;
  std::exception_ptr failure;
  start_service_thread("leat-gloo-init", [&] {
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
    try {
      device = make_signaling_device(address);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return device;
}

// Waits until all ranks have arrived. Gloo's own wait takes up to five times its timeout and does not name the
// missing ranks.
void wait_for_all(TcpStore& store, const std::string& prefix, std::chrono::milliseconds timeout) {
  const WorldSettings& world = store.world();
  const Deadline deadline(timeout);
  store.set(fmt::format("{}/here/{}", prefix, world.rank), "");
  std::vector<int> missing;
  for (int rank = 0; rank < world.world_size; ++rank) {
    if (!store.try_get(fmt::format("{}/here/{}", prefix, rank), deadline.left())) missing.push_back(rank);
  }
  if (missing.empty()) return;
  throw PeerSilent(missing,
                   fmt::format("rank {} waited {} ms for the other ranks; missing: {} of {}", world.rank,
                               timeout.count(), fmt::join(missing, ", "), world.world_size));
}

}  // namespace

std::shared_ptr<gloo::Context> connect_all(TcpStore& store, const std::string& prefix,
                                           std::chrono::milliseconds timeout) {
  const SigpipeBlock block;
  wait_for_all(store, prefix, timeout);
  try {
    auto device = make_device(store.local_address());
    GlooStore adapter(store, prefix + "/", Deadline(timeout));
    auto context = std::make_shared<gloo::rendezvous::Context>(store.world().rank, store.world().world_size);
    context->setTimeout(timeout);
    context->connectFullMesh(adapter, device);
    return context;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw CommunicationError(fmt::format("rank {} of {} at {}: Gloo cannot connect the ranks: {}",
                                         store.world().rank, store.world().world_size, store.local_address(),
                                         error.what()));
  }
}

std::optional<int> failed_peer(gloo::Context& context, const std::string& problem) {
  std::uint8_t nothing = 0;
  const auto buffer = context.createUnboundBuffer(&nothing, sizeof nothing);
  for (int peer = 0; peer < context.size; ++peer) {
    if (peer == context.rank) continue;
    try {
      buffer->recv(peer, kProbeSlot);
    } catch (const gloo::Exception& error) {
      if (problem.find(error.what()) != std::string::npos) return peer;
    }
  }
  return std::nullopt;
}

void disconnect_all(gloo::Context& context) {
  std::uint8_t nothing = 0;
  const auto buffer = context.createUnboundBuffer(&nothing, sizeof nothing);
  try {
    buffer->waitRecv(std::chrono::milliseconds(0));
  } catch (const gloo::Exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // Always thrown: see the comment in the header.
  }
}

}  // namespace leat::detail
