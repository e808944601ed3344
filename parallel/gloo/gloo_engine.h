// Gloo's collectives, made safe: sizes are compared before data moves, errors name ranks, and abort() reaches all
// ranks.
#pragma once

#include <gloo/context.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "leat/parallel/host/host_engine.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Threads: as for HostEngine. If two ranks pass different sizes, Gloo ends the whole process and the error cannot be
// caught. So every collective begins with an exchange of messages of fixed size, in which the ranks compare their
// calls. That exchange is also the barrier. Only Gloo's newer interface is used, because mixing in the older one
// slows its sockets down.
class GlooEngine final : public HostEngine {
 public:
  GlooEngine(std::shared_ptr<TcpStore> store, std::string prefix, std::chrono::milliseconds timeout);

  int rank() const noexcept override { return context_->rank; }
  int size() const noexcept override { return context_->size; }
  std::string name() const override { return "gloo"; }
  void run(const CollectiveCall& call) override;
  void abort(const Failure& why) noexcept override;

 private:
  void all_reduce(const CollectiveCall& call);
  void all_reduce(void* data, std::size_t count, DType dtype, const CollectiveCall& call);
  void reduce_scatter(const CollectiveCall& call);
  void broadcast(const CollectiveCall& call);
  void all_gather(const CollectiveCall& call);

  void throw_if_aborted();
  [[noreturn]] void fail(const CollectiveCall& call, const Failure& problem);
  // Returns the reason of this rank or, from the store, of another; nullopt if none aborted. Throws without store.
  std::optional<Failure> abort_reason();

  // Constant after construction.
  const std::shared_ptr<TcpStore> store_;  // shared with other communicators of the same world
  const std::string prefix_;
  const std::chrono::milliseconds timeout_;
  const std::shared_ptr<gloo::Context> context_;  // shared because Gloo requires it

  // Used only by run().
  std::vector<float> widened_;
  std::vector<std::byte> reduced_;  // by reduce_scatter

  // Guarded by mutex_.
  std::mutex mutex_;
  std::optional<Failure> aborted_;  // the reason
};

}  // namespace leat::detail
