// Collectives between processes of one host, which read and write each other's shared memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/parallel/host/host_engine.h"
#include "leat/parallel/local/rendezvous.h"
#include "leat/parallel/shared_memory/host_introduction.h"
#include "leat/parallel/shared_memory/memory_file.h"
#include "leat/parallel/shared_memory/shared_regions.h"
#include "leat/parallel/shared_memory_communicator.h"

namespace leat::detail {

// Three pieces of shared memory for each rank, used in turn. While the ranks read one piece, the next is written; the
// third may still be read by ranks that are a step behind.
inline constexpr std::size_t kStagingPieces = 3;

// Threads: as for HostEngine. A collective takes one of three paths, which depends only on what all ranks know once
// they have met: data of at most kInlineBytes comes along to the rendezvous; if all ranks' data lies in the same
// region, the ranks read and write it in place; all other data passes through the staging memory, piece by piece.
class SharedMemoryEngine final : public HostEngine {
 public:
  // Allocates this rank's memory, and joins the other ranks. Throws what make_shared_memory_communicator() throws.
  SharedMemoryEngine(TcpStore& store, const std::string& prefix, const SharedMemoryOptions& options);
  ~SharedMemoryEngine() override;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  std::string name() const override { return "shared memory"; }
  void run(const CollectiveCall& call) override;
  void abort(const Failure& why) noexcept override { rendezvous_->fail(why); }

 private:
  void join(TcpStore& store, const std::string& prefix, const SharedMemoryOptions& options);
  void announcing_failure(TcpStore& store, const std::string& prefix,
                          const std::function<void()>& step) const;
  void connect(HostIntroduction& introduction);
  void take_files(int rank, HostPeer peer);
  void await_all(HostIntroduction& introduction, const SharedMemoryOptions& options);

  void allocate(const CollectiveCall& call);
  bool all_in(const SharedRegion* region) const;
  void run_in_place(const CollectiveCall& call, const SharedRegion& region);
  void reduce_in_place(const CollectiveCall& call, const SharedRegion& region) const;
  void scatter_in_place(const CollectiveCall& call, const SharedRegion& region) const;
  void run_staged(const CollectiveCall& call);
  void reduce_staged(const CollectiveCall& call);  // all_reduce and reduce_scatter
  void move_staged(const CollectiveCall& call);    // broadcast and all_gather
  void exchange(const CollectiveCall& call);       // send and recv
  std::byte* staged(int rank, std::size_t piece) const;

  // Constant after construction.
  const int rank_;
  const int size_;
  const std::size_t piece_bytes_;
  std::shared_ptr<MemoryFile> file_;                   // shared with regions, which may outlive the engine
  std::vector<std::optional<MemoryFile>> peer_files_;  // in rank order; this rank has none here
  std::vector<UniqueFd> processes_;                    // pidfds, likewise
  std::unique_ptr<SharedRegion> staging_;
  Mapping meeting_;
  std::unique_ptr<Rendezvous> rendezvous_;

  // Used by run().
  std::uint64_t allocated_ = 0;  // regions so far
  std::size_t last_piece_ =
      0;  // of the last collective that was staged; ranks that are behind may still read it
  SharedRegions regions_;
};

}  // namespace leat::detail
