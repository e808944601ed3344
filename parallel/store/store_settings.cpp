#include "leat/parallel/store/store_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/little_endian.h"
#include "leat/parallel/store/sha256.h"

namespace leat::detail {
namespace {

constexpr std::size_t kMaxShown = 80;  // characters of a value in a message
constexpr std::size_t kMaxRanks = 8;   // ranks named in a row
constexpr const char* kNotGiven = "not given";

std::string take_text(std::string_view& bytes) {
  const std::size_t size = bytes.size() < 4 ? bytes.size() : get_u32(bytes, 0);
  if (bytes.size() < 4 || size > bytes.size() - 4) {
    throw CommunicationError("the settings of a rank are damaged");
  }
  std::string text(bytes.substr(4, size));
  bytes.remove_prefix(4 + size);
  return text;
}

std::string shown(const std::string& value) {
  if (value.size() <= kMaxShown) return '"' + value + '"';
  return fmt::format("\"{}...\" ({} bytes, SHA-256 {}...)", value.substr(0, kMaxShown / 2), value.size(),
                     hex(sha256(value)).substr(0, 8));
}

std::string list_of(const std::vector<int>& ranks) {
  const auto named = std::span(ranks).first(std::min(ranks.size(), kMaxRanks));
  std::string text =
      fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(named.begin(), named.end(), ", "));
  if (ranks.size() > kMaxRanks) text += fmt::format(" and {} more", ranks.size() - kMaxRanks);
  return text;
}

}  // namespace

std::string encode_settings(std::span<const JobSetting> settings) {
  std::string bytes;
  std::set<std::string_view> names;
  for (const JobSetting& setting : settings) {
    if (setting.name.empty() || !names.insert(setting.name).second) {
      throw ArgumentError(
          fmt::format("the name \"{}\" of a setting is empty or was given twice", setting.name));
    }
    for (const std::string* text : {&setting.name, &setting.value}) {
      put_u32(bytes, text->size());
      bytes += *text;
    }
    if (bytes.size() > kMaxSettingsBytes) {
      throw ArgumentError(fmt::format("the settings up to \"{}\" have {} bytes; the limit is {}",
                                      setting.name, bytes.size(), kMaxSettingsBytes));
    }
  }
  return bytes;
}

void SettingsComparison::add(int rank, const std::optional<std::string>& encoded) {
  if (!encoded) {
    missing_.push_back(rank);
    return;
  }
  ranks_.push_back(rank);
  for (std::string_view bytes = *encoded; !bytes.empty();) {
    const std::string name = take_text(bytes);
    ranks_of_[name][take_text(bytes)].push_back(rank);
  }
}

std::string SettingsComparison::differences() const {
  std::string text;
  for (const auto& [name, values] : ranks_of_) {
    std::vector<int> given;
    std::vector<std::string> parts;
    for (const auto& [value, ranks] : values) {
      given.insert(given.end(), ranks.begin(), ranks.end());
      parts.push_back(fmt::format("{} on {}", shown(value), list_of(ranks)));
    }
    std::ranges::sort(given);
    std::vector<int> without;
    std::ranges::set_difference(ranks_, given, std::back_inserter(without));
    if (!without.empty()) parts.push_back(fmt::format("{} on {}", kNotGiven, list_of(without)));
    if (parts.size() > 1)
      text += fmt::format("{}{} is {}", text.empty() ? "" : "; ", name, fmt::join(parts, ", "));
  }
  return text;
}

SettingsOutcome SettingsComparison::outcome(std::chrono::milliseconds timeout) const {
  using Kind = SettingsOutcome::Kind;
  if (const std::string text = differences(); !text.empty()) {
    return {.kind = Kind::different, .message = "the ranks were started with different settings: " + text};
  }
  if (missing_.empty()) return {};
  return {.kind = Kind::missing,
          .message = fmt::format("{} did not come to compare settings within {} ms", list_of(missing_),
                                 timeout.count())};
}

std::string encode_outcome(const SettingsOutcome& outcome) {
  return static_cast<char>(outcome.kind) + outcome.message;
}

void throw_outcome(std::string_view encoded) {
  using Kind = SettingsOutcome::Kind;
  const char kind = encoded.empty() ? '\0' : encoded.front();
  if (kind == static_cast<char>(Kind::equal)) return;
  const std::string message(encoded.substr(std::min<std::size_t>(encoded.size(), 1)));
  if (kind == static_cast<char>(Kind::different)) throw ArgumentError(message);
  throw CommunicationError(message);
}

}  // namespace leat::detail
