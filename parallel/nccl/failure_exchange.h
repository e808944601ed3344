// What the ranks of a communicator tell each other over the store when something has gone wrong.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/parallel/host/failure.h"
#include "leat/parallel/nccl/call_history.h"
#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// The keys, behind the communicator's prefix: joined/<rank>; aborted, the failure; failures, the number of ranks that
// wanted to announce one; asked, the number of ranks that asked for reports; report/<rank>.
//
// Thread-safe, as the store is. Unless stated otherwise, members throw what the store throws.
class FailureExchange {
 public:
  FailureExchange(TcpStore& store, std::string prefix) : store_(store), prefix_(std::move(prefix)) {}

  void join();                      // says that this rank makes the communicator
  std::vector<int> absent() const;  // the ranks that have not said so

  // Returns why this rank has to give up: a failure that a rank has announced; PeerLost if the store's server has lost
  // a rank, or if the store is gone and a rank of this world serves it. Never throws.
  std::optional<Failure> news() const noexcept;
  // Returns whether news() has found the store gone, which no rank of this world serves: that ends nothing here.
  bool is_cut_off() const noexcept { return is_cut_off_; }
  // Announces a failure to all ranks, unless a rank has announced one before. Returns the one that counts. If the store
  // fails, that is this rank's. The message of a failure of kind `other` is preceded by the rank.
  Failure announce(Failure failure) noexcept;

  // Asks all ranks, this one included, to report their calls. Returns whether this rank is the first to ask.
  bool ask();
  bool is_asked() const;
  void report(const CallReport& calls);
  std::optional<CallReport> report_of(int rank) const;

 private:
  std::optional<Failure> find_news() const;
  std::string key(const char* name, int rank) const;

  TcpStore& store_;
  const std::string prefix_;
  mutable std::atomic<bool> is_cut_off_ = false;
};

}  // namespace leat::detail
