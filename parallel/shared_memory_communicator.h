/// \file
/// Communicators between processes of one host, over shared memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"

namespace leat {

/// Options of a communicator over shared memory. All ranks pass the same values.
struct LEAT_EXPORT SharedMemoryOptions {
  /// Prefix of the keys in the store.
  std::string prefix = "shm";
  /// Limit of each wait for the other ranks in a collective.
  std::chrono::milliseconds timeout{600'000};
  /// Limit of the time in which all ranks must have joined.
  std::chrono::milliseconds connect_timeout{60'000};
  /// Shared memory of each rank, in bytes, through which data passes that does not lie in memory from allocate(). At
  /// least 64 KiB. Larger data is passed in pieces.
  std::size_t staging_bytes = std::size_t{6} << 20;
};

/// Makes a communicator of the host device over all ranks of the store's world, which run on this host. All ranks call
/// it, and if they make several communicators, all make them in the same order.
///
/// Each rank's memory is a memfd, which the ranks hand to each other over sockets. It has no name in any file system,
/// needs no space in /dev/shm, and is freed when the last rank has ended, however it ended. Its pages are allocated
/// when the communicator or a buffer is made, so a lack of memory is an error there.
///
/// Collectives on memory from allocate() read and write the memory of all ranks directly. Other data is copied through
/// `staging_bytes` of shared memory; data of at most 4 KiB takes a shorter path in either case. Sums are computed in
/// rank order, so results have the same bits on all ranks and in every run, however the elements are divided into
/// calls; make_local_group() gives the same bits, too. f16 and bf16 are added in f32 and rounded once.
///
/// If a rank's process ends, the others throw PeerLost within a second. A rank that is stopped, or does not call, makes
/// them throw PeerSilent after the timeout. abort() reaches the other ranks at once.
///
/// Throws ArgumentError for options out of range; CommunicationError if ranks run on other hosts (the message names
/// them; ranks_of_this_host() finds out beforehand), under another user, or in a container whose network or process
/// numbers are separate from this one's; Disagreement if the ranks' options differ; PeerLost or PeerSilent if a rank
/// ends or does not come in time; MemoryError if there is not enough memory.
LEAT_EXPORT std::unique_ptr<Communicator> make_shared_memory_communicator(
    std::shared_ptr<TcpStore> store, const SharedMemoryOptions& options = {});

/// Returns the ranks, in ascending order, with which this rank could share memory: those that run on this host under
/// the same user, and whose sockets this rank can reach. This rank is one of them. Each rank tries to reach the others,
/// so the result does not depend on what a launcher says.
///
/// A collective: all ranks of the store's world call it, in the same order as other calls with the store. Throws
/// PeerSilent if a rank does not come within `timeout`.
LEAT_EXPORT std::vector<int> ranks_of_this_host(TcpStore& store,
                                                std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace leat
