// Collectives between the ranks of one process: each reads and writes the others' memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "leat/parallel/host/host_engine.h"
#include "leat/parallel/local/pair_exchange.h"
#include "leat/parallel/local/rendezvous.h"

namespace leat::detail {

// The memory in which the ranks of a process meet.
class LocalMeeting {
 public:
  explicit LocalMeeting(int ranks);
  const RendezvousMemory& memory() const noexcept { return memory_; }

  // Through which a rank's sends pass. The rank itself prepares them before it first sends.
  static constexpr std::size_t kPieceBytes = std::size_t{512} << 10;
  void prepare_pieces(int rank);
  std::byte* piece_of(int rank, std::uint32_t piece) const noexcept {
    return pieces_[static_cast<std::size_t>(rank)].data() + piece % kExchangePieces * kPieceBytes;
  }

 private:
  DeviceBuffer bytes_;
  RendezvousMemory memory_;
  std::vector<DeviceBuffer> pieces_;  // of each rank: written by it alone, and read by those it sends to
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
  void exchange(const CollectiveCall& call);

  const std::shared_ptr<LocalMeeting> meeting_;  // shared by the group's ranks, which may end in any order
  Rendezvous rendezvous_;

  // The buffers of all ranks, used only by run(); made beforehand, since nothing may throw there.
  std::vector<const void*> sources_;
  std::vector<void*> targets_;
};

}  // namespace leat::detail
