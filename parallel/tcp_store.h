/// \file
/// The key/value store through which the ranks of a job find each other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/parallel/world_settings.h"

namespace leat {

/// A setting that must be the same on all ranks of a job, such as {"seed", "5"}.
struct LEAT_EXPORT JobSetting {
  std::string name;   ///< how messages call it
  std::string value;  ///< in any form, compared byte by byte
};

/// Connects one rank to the key/value store that all ranks of a job share. Rank 0 also serves it.
///
/// Keys have 1 to 1024 bytes, values up to 1 MiB. Every call ends by its deadline. Throws ArgumentError for a key or a
/// value beyond these limits, CommunicationError for what fails: PeerLost if the connection to rank 0 has ended, and
/// PeerSilent if rank 0 does not answer within ten seconds. All members are thread-safe. The calls of a rank take
/// turns; one that waits for a key lets the others pass every 100 ms.
///
/// Server and ranks prove to each other that they have the job's secret, without sending it. A stranger, who does not
/// have it, can neither read nor write the store, nor take a rank's place. The server reads at most 328 bytes of a
/// stranger, for at most ten seconds, and keeps at most 64 such connections. Without a secret the store serves loopback
/// addresses only, where every user of the machine can reach it. Values travel unencrypted, and only the first messages
/// of a connection are signed: the secret is no protection from those who can change packets on the network.
class LEAT_EXPORT TcpStore {
 public:
  /// Listens, on rank 0, at the master's address alone; port 0 is any free port, which port() returns. Connects, on the
  /// other ranks, and waits up to `timeout` for rank 0 to listen. Throws ArgumentError for settings out of range, or if
  /// there is no secret and the address is not a loopback address, or if it is one and other hosts have ranks, too;
  /// CommunicationError if the connection fails, or if rank 0 has another world size, secret, run id or restart count,
  /// or already knows this rank.
  explicit TcpStore(const WorldSettings& world, std::chrono::milliseconds timeout = std::chrono::seconds(60));

  /// Says goodbye to the server. On rank 0, also waits up to ten seconds until the other ranks have done so. Does
  /// nothing in a forked process, since the connection is its parent's.
  ~TcpStore();
  TcpStore(const TcpStore&) = delete;
  TcpStore& operator=(const TcpStore&) = delete;

  const WorldSettings& world() const noexcept {
    return world_;
  }  ///< the settings, with the port that is used
  std::uint16_t port() const noexcept { return world().master_port; }  ///< the port at which rank 0 listens
  std::chrono::milliseconds timeout() const noexcept;                  ///< what the constructor was given

  /// Returns this machine's numeric address on the route to rank 0, at which other ranks can reach it.
  const std::string& local_address() const noexcept;

  /// Sets the value of a key.
  void set(const std::string& key, std::string_view value);
  /// Returns the value of a key. Waits up to timeout() for it to be set, and throws CommunicationError if it is not.
  std::string get(const std::string& key);
  /// Returns the value of a key. Waits up to `timeout` for it to be set, and throws CommunicationError if it is not.
  std::string get(const std::string& key, std::chrono::milliseconds timeout);
  /// Returns the value of a key. Waits up to `timeout` for it to be set, and returns nullopt if it is not.
  std::optional<std::string> try_get(const std::string& key,
                                     std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  /// Adds to the number that is a key's value, 0 if the key is not set, and returns the sum.
  std::int64_t add(const std::string& key, std::int64_t delta);
  /// Waits until all keys are set. Throws CommunicationError if any key is not set within `timeout`.
  void wait(std::span<const std::string> keys, std::chrono::milliseconds timeout);

  /// Returns a store for some of the ranks, which this rank is one of. Its world() has these ranks only, numbered in
  /// the order of `ranks`, and its keys are apart from those of this store and of groups with other names. What takes a
  /// store, such as make_gloo_communicator(), joins the ranks of the group if it is given the group's store. Only these
  /// ranks call it, with the same arguments, which nobody compares: World::group() does. Uses the connection of this
  /// store, and may outlive it. Throws ArgumentError if `ranks` is empty, or names a rank twice, a rank that is none of
  /// this store's, or not this one.
  std::shared_ptr<TcpStore> group(std::span<const int> ranks, const std::string& name) const;

  /// Returns the ranks of world() that have died, or lost their connection, without destroying their stores, in
  /// ascending order. A rank that has connected again is not among them.
  std::vector<int> lost_ranks();

  /// Returns which rank serves the store; nullopt if that is none of world().
  std::optional<int> server_rank() const noexcept { return server_rank_; }

  /// Compares settings between all ranks. All ranks call it, each the same number of times, with names in any order and
  /// 16 KiB of text at most. Throws ArgumentError, with the same text on every rank, that names each setting that
  /// differs, its values and their ranks; CommunicationError, on every rank, that names the ranks that did not call
  /// within `timeout`.
  void compare_settings(std::span<const JobSetting> settings, std::chrono::milliseconds timeout);

 private:
  class Impl;
  TcpStore(std::shared_ptr<Impl> impl, WorldSettings world, std::string prefix, std::vector<int> job_ranks);

  // Constant after construction.
  const std::shared_ptr<Impl> impl_;  // the connection, shared with the groups
  const WorldSettings world_;
  const std::string prefix_;          // of all keys
  const std::vector<int> job_ranks_;  // the ranks of world_, as the job numbers them
  const std::optional<int> server_rank_;

  std::atomic<int> comparisons_ = 0;  // calls of compare_settings()
};

}  // namespace leat
