// The way in which the ranks of a host find each other: through the store, and then by really connecting.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/host/failure.h"
#include "leat/parallel/shared_memory/file_server.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// What a rank tells the others through the store.
struct HostRecord {
  std::string boot;      // identifies the running kernel: /proc/sys/kernel/random/boot_id
  std::string network;   // identifies the network namespace, in which sockets can be reached
  std::string socket;    // the name at which the rank's FileServer listens
  std::string password;  // which the server expects
  std::string options;   // must be equal on all ranks; the text appears in messages
};
std::string encode(const HostRecord& record);
std::optional<HostRecord> decode_host_record(const std::string& text);  // nullopt if it is no such record

// Tells the ranks that still wait that this one gave up. Does nothing if the store is lost.
void announce_failure(TcpStore& store, const std::string& prefix, const Failure& failure) noexcept;

// Another rank of this host.
struct HostPeer {
  UniqueFd process;             // a pidfd
  std::vector<UniqueFd> files;  // what its FileServer handed out
};

// One rank's part in the introduction. Not thread-safe.
class HostIntroduction {
 public:
  // Hands `files` to the other ranks as long as the object lives. `prefix` begins the keys in the store.
  HostIntroduction(TcpStore& store, std::string prefix, const std::string& options, std::vector<int> files,
                   std::chrono::milliseconds timeout);

  // Waits for the records of all ranks, and returns the ranks whose kernel is this rank's. Throws PeerSilent if ranks
  // do not come in time, PeerLost if the rank that serves the store took it with it, and what another rank announced.
  std::vector<int> meet_all();

  // Connects to a rank. Returns nullopt if the rank cannot share memory with this one, and sets why_not(). Throws
  // PeerLost if the rank ended meanwhile, PeerSilent if it does not answer in time.
  std::optional<HostPeer> reach(int rank);
  const std::string& why_not() const noexcept { return why_not_; }  // "it runs under user 7, not 8"

  const HostRecord& record_of(int rank) const { return records_[static_cast<std::size_t>(rank)]; }

  // Waits until every rank has called this. Throws as meet_all().
  void part();

  // Returns what another rank announced. Throws PeerLost if the store is lost.
  std::optional<Failure> announced();

  const Deadline& deadline() const noexcept { return deadline_; }

 private:
  std::string key(const char* what, int rank) const;
  std::vector<std::string> get_all(const char* what);
  std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout);
  [[noreturn]] void throw_gone(int rank, const std::string& how);

  TcpStore& store_;
  const std::string prefix_;
  const int rank_;
  const int ranks_;
  const std::chrono::milliseconds timeout_;
  const Deadline deadline_;
  const HostRecord own_;
  const FileServer server_;
  std::vector<HostRecord> records_;
  std::string why_not_;
};

// Returns which of `processes`, pidfds, have ended. Invalid descriptors, such as a rank's own, are skipped.
std::vector<int> ended_processes(const std::vector<UniqueFd>& processes);

}  // namespace leat::detail
