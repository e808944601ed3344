// The calls that a rank has made on one communicator, and the form in which ranks report them to each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// What a rank tells the others: how many calls it has made, and a description of each of the last ones.
struct CallReport {
  std::uint64_t count = 0;
  std::vector<std::string> last{};  // in order; the last one describes call count - 1
  bool has_left = false;            // the rank has destroyed its communicator; `last` is empty then

  // Returns the description of a call; nullptr if the report does not contain it.
  const std::string* find(std::uint64_t number) const;
};

std::string encode(const CallReport& report);
// Returns nullopt for text that is not the result of encode().
std::optional<CallReport> decode_report(std::string_view text);

// Numbers the calls and keeps the last 256. Thread-safe.
class CallHistory {
 public:
  static constexpr std::size_t kKept = 256;

  // Adds a call that is about to be made. Returns its number; the first one is 0.
  std::uint64_t add(CollectiveCall call);
  CallReport report() const;

 private:
  mutable std::mutex mutex_;
  std::array<CollectiveCall, kKept> calls_;  // call n is at n % kKept; guarded by mutex_
  std::uint64_t count_ = 0;                  // guarded by mutex_
};

}  // namespace leat::detail
