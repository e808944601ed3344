#include "tools/common/worker_count.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/loader/data_loader.h"
#include "leat/loader/sweep.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;

namespace {

int parse_one(std::string_view text) {
  if (const auto count = parse_number(text, 0, kMaxWorkers)) return static_cast<int>(*count);
  throw UsageError(
      fmt::format("'{}' is no number of workers: give 'auto' or a number from 0 to {}", text, kMaxWorkers));
}

}  // namespace

int parse_worker_count(std::string_view text) {
  return text == "auto" ? kAutoWorkers : parse_one(text);
}

std::vector<int> parse_worker_list(std::string_view text, double usable) {
  if (text == "auto") return default_worker_counts(std::min(usable, double(kMaxWorkers)));
  std::vector<int> counts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    counts.push_back(parse_one(text.substr(first, comma - first)));
    first = comma + 1;
  }
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  return counts;
}

}  // namespace leat::tools
