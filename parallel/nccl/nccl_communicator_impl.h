// A communicator over NCCL: the implementation of make_nccl_communicator().
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/host/collective_call.h"
#include "leat/parallel/nccl/call_history.h"
#include "leat/parallel/nccl/communicator_watch.h"
#include "leat/parallel/nccl/failure_exchange.h"
#include "leat/parallel/nccl/followed_calls.h"
#include "leat/parallel/nccl/nccl_handle.h"
#include "leat/parallel/nccl/watchdog.h"
#include "leat/parallel/nccl_communicator.h"

namespace leat::detail {

// Passes collectives to NCCL on the caller's stream. `api` is the library's table of functions, or a test's.
class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(const NcclApi& api, std::shared_ptr<TcpStore> store, Device& device,
                   const NcclOptions& options);
  ~NcclCommunicator() override;

  int rank() const noexcept override { return store_->world().rank; }
  int size() const noexcept override { return store_->world().world_size; }
  std::string engine() const override;
  Device& device() const noexcept override { return device_; }

  void all_reduce(TensorSpan data, ReduceOp op, StreamRef stream) override;
  void reduce_scatter(TensorSpan from, TensorSpan to, ReduceOp op, StreamRef stream) override;
  void broadcast(TensorSpan data, int root, StreamRef stream) override;
  void all_gather(TensorSpan from, TensorSpan to, StreamRef stream) override;
  void send(TensorSpan data, int to, StreamRef stream) override;
  void recv(TensorSpan data, int from, StreamRef stream) override;
  CommunicationBuffer allocate(std::size_t bytes) override;
  void barrier() override;
  void throw_if_failed() override { handle_.throw_if_failed(); }
  void abort(std::string_view why) noexcept override;

 private:
  NcclHandle connect();
  ncclUniqueId exchange_id();
  // Every collective and exchange passes here: it is numbered, made, and followed until it has ended.
  void call(const char* name, CollectiveCall what, StreamRef stream, const NcclHandle::Call& function) {
    call(name, what, stream, collective_timeout_, function);
  }
  void call(const char* name, CollectiveCall what, StreamRef stream, std::chrono::milliseconds limit,
            const NcclHandle::Call& function);
  [[noreturn]] void raise_announced(const std::exception& error);  // tells the other ranks, too
  Failure explain_timeout(std::string text) noexcept;

  const ProcessIdentity owner_;
  const NcclApi& api_;
  const std::shared_ptr<TcpStore> store_;  // shared with other communicators of the same world
  const std::string prefix_;
  const std::chrono::milliseconds timeout_;
  const std::chrono::milliseconds collective_timeout_;
  cuda::CudaDevice& device_;
  DeviceBuffer token_;  // what barrier() sums
  Stream stream_;       // used by barrier()
  Event event_;
  FailureExchange exchange_;
  CallHistory history_;                   // of collectives: other ranks make the same
  std::vector<std::uint64_t> exchanges_;  // made, by the other rank
  FollowedCalls calls_;
  NcclHandle handle_;  // destroyed before the memory and the stream that NCCL uses
  CommunicatorWatch communicator_watch_;
  const Watch watch_;  // last, so that the watchdog uses nothing that is not there
};

}  // namespace leat::detail
