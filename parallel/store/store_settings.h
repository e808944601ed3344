// The comparison of settings that must be the same on all ranks.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leat/parallel/tcp_store.h"

namespace leat::detail {

inline constexpr std::size_t kMaxSettingsBytes = std::size_t{16} << 10;  // names and values of one rank

// Throws ArgumentError beyond kMaxSettingsBytes, and for a name that is empty or given twice.
std::string encode_settings(std::span<const JobSetting> settings);

struct SettingsOutcome {
  enum class Kind : char { equal = 'e', different = 'd', missing = 'm' } kind = Kind::equal;
  std::string message{};
};

// Gathers the settings of all ranks. Not thread-safe.
class SettingsComparison {
 public:
  // nullopt stands for a rank that has not come. Throws CommunicationError if the text is not that of
  // encode_settings().
  void add(int rank, const std::optional<std::string>& encoded);

  // Differences count more than missing ranks: they may be the reason.
  SettingsOutcome outcome(std::chrono::milliseconds timeout) const;

 private:
  std::string differences() const;

  std::vector<int> ranks_;  // that have come
  std::vector<int> missing_;
  std::map<std::string, std::map<std::string, std::vector<int>>> ranks_of_;  // [name][value]
};

std::string encode_outcome(const SettingsOutcome& outcome);
void throw_outcome(std::string_view encoded);  // does nothing if the settings are equal

}  // namespace leat::detail
