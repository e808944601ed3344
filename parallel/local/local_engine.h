// Collectives between the ranks of one process: each reads and writes the others' memory.
#pragma once

#include <memory>
#include <vector>

#include "leat/parallel/host/host_engine.h"
#include "leat/parallel/local/rendezvous.h"

namespace leat::detail {

// The memory in which the ranks of a process meet.
class LocalMeeting {
 public:
  explicit LocalMeeting(int ranks);
  const RendezvousMemory& memory() const noexcept { return memory_; }

 private:
  DeviceBuffer bytes_;
  RendezvousMemory memory_;
};

class LocalEngine final : public HostEngine {
 public:
  LocalEngine(std::shared_ptr<LocalMeeting> meeting, int rank, std::chrono::milliseconds timeout);
  ~LocalEngine() override { rendezvous_.leave(); }

  int rank() const noexcept override { return rendezvous_.rank(); }
  int size() const noexcept override { return rendezvous_.ranks(); }
  std::string name() const override { return "local"; }
  void run(const CollectiveCall& call) override;
  void abort(const Failure& why) noexcept override { rendezvous_.fail(why); }

 private:
  void all_reduce(const CollectiveCall& call);
  void reduce_scatter(const CollectiveCall& call);
  void broadcast(const CollectiveCall& call) const;
  void all_gather(const CollectiveCall& call) const;

  const std::shared_ptr<LocalMeeting> meeting_;  // shared by the group's ranks, which may end in any order
  Rendezvous rendezvous_;

  // The buffers of all ranks, used only by run(); made beforehand, since nothing may throw there.
  std::vector<const void*> sources_;
  std::vector<void*> targets_;
};

}  // namespace leat::detail
