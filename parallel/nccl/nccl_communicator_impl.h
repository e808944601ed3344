// A communicator over NCCL: the implementation of make_nccl_communicator().
#pragma once

#include <memory>
#include <string>

#include "leat/parallel/nccl/nccl_handle.h"
#include "leat/parallel/nccl_communicator.h"

namespace leat::detail {

// Passes collectives to NCCL on the caller's stream. `api` is the library's table of functions, or a test's.
class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(const NcclApi& api, std::shared_ptr<TcpStore> store, Device& device,
                   const NcclOptions& options);

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
  void barrier() override;
  void abort(std::string_view why) noexcept override;

 private:
  NcclHandle connect(std::chrono::milliseconds timeout);
  ncclUniqueId exchange_id(std::chrono::milliseconds timeout);
  void call(const char* name, const NcclHandle::Call& function);
  void announce(std::string_view why) noexcept;  // tells the other ranks that this one gave up
  std::string announced();                       // why another rank gave up; empty if none has

  const NcclApi& api_;
  const std::shared_ptr<TcpStore> store_;  // shared with other communicators of the same world
  const std::string prefix_;
  Device& device_;
  DeviceBuffer token_;  // what barrier() sums
  Stream stream_;       // used by barrier()
  Event event_;
  NcclHandle handle_;  // last, so that it is destroyed before the memory and the stream that NCCL uses
};

}  // namespace leat::detail
