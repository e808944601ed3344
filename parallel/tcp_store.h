// A key/value store that all ranks of a job share for the time of their rendezvous. Rank 0 serves it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leat/parallel/world.h"

namespace leat {

// Keys have 1 to 1024 bytes, values up to 1 MiB. Every call ends by its deadline; what fails throws
// CommunicationError. All members are thread-safe, but calls wait for each other: get() with a long wait
// holds up the rest of this rank's. The server trusts its network: bind it to one that strangers cannot
// reach.
class TcpStore {
 public:
  // Rank 0 listens at the master's address and no other (port 0: a free one, see port()); the other ranks
  // connect, and wait `timeout` for it to appear. A rank with another world size, or one that is there
  // already, is refused.
  explicit TcpStore(const WorldSettings& world, std::chrono::milliseconds timeout = std::chrono::seconds(60));

  // Says goodbye. On rank 0 it also waits, at most ten seconds, until the other ranks have. In a forked process: does
  // nothing, since the connection is the parent's.
  ~TcpStore();
  TcpStore(const TcpStore&) = delete;
  TcpStore& operator=(const TcpStore&) = delete;

  const WorldSettings& world() const noexcept;
  std::uint16_t port() const noexcept { return world().master_port; }
  std::chrono::milliseconds timeout() const noexcept;

  // This machine's address on the route to rank 0, numeric: where other ranks can reach it.
  const std::string& local_address() const noexcept;

  void set(const std::string& key, std::string_view value);
  std::string get(const std::string& key);  // waits for the key, up to timeout()
  std::string get(const std::string& key, std::chrono::milliseconds timeout);
  std::optional<std::string> try_get(const std::string& key,
                                     std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  std::int64_t add(const std::string& key, std::int64_t delta);  // returns the sum; a key begins at 0
  void wait(std::span<const std::string> keys, std::chrono::milliseconds timeout);  // until all exist

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leat
