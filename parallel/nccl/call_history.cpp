#include "leat/parallel/nccl/call_history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace leat::detail {
namespace {

constexpr std::string_view kLeft = " left";

}  // namespace

const std::string* CallReport::find(std::uint64_t number) const {
  const std::uint64_t first = count - last.size();
  return number >= first && number < count ? &last[number - first] : nullptr;
}

std::string encode(const CallReport& report) {
  return fmt::format("{}{}\n{}", report.count, report.has_left ? kLeft : "", fmt::join(report.last, "\n"));
}

std::optional<CallReport> decode_report(std::string_view text) {
  CallReport report;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), report.count);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  report.has_left = text.starts_with(kLeft);
  if (report.has_left) text.remove_prefix(kLeft.size());
  if (!text.starts_with('\n')) return std::nullopt;
  text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    report.last.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  const std::uint64_t expected =
      report.has_left ? 0 : std::min<std::uint64_t>(report.count, CallHistory::kKept);
  if (report.last.size() != expected) return std::nullopt;
  return report;
}

std::uint64_t CallHistory::add(CollectiveCall call) {
  const std::lock_guard lock(mutex_);
  call.number = count_;
  call.data.data = call.result.data = nullptr;  // it may be freed before the call is reported
  call.allocated = nullptr;
  calls_[count_ % kKept] = call;
  return count_++;
}

CallReport CallHistory::report() const {
  const std::lock_guard lock(mutex_);
  CallReport report{.count = count_};
  for (std::uint64_t n = count_ - std::min<std::uint64_t>(count_, kKept); n < count_; ++n)
    report.last.push_back(describe(calls_[n % kKept]));
  return report;
}

}  // namespace leat::detail
