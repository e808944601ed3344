#include "tools/run/gpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

constexpr std::size_t kMaxNumber = 1023;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    parts.push_back(text.substr(first, comma - first));
    first = comma + 1;
  }
  return parts;
}

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Reads "3" or "3-5".
std::optional<Range> parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash), 0, kMaxNumber);
  const auto last =
      dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1), 0, kMaxNumber);
  if (!first || !last || *first > *last) return std::nullopt;
  return Range{*first, *last};
}

std::string name_of(std::size_t number, const std::optional<std::string>& visible) {
  if (!visible) return std::to_string(number);
  const auto names = split(*visible);
  if (visible->empty() || number >= names.size()) {
    throw UsageError(fmt::format("--gpus: there is no GPU {}: CUDA_VISIBLE_DEVICES={} shows {}", number,
                                 *visible, visible->empty() ? 0 : names.size()));
  }
  return std::string(names[number]);
}

}  // namespace

std::vector<std::string> parse_gpu_list(std::string_view list, const std::optional<std::string>& visible) {
  std::vector<std::string> gpus;
  const auto add = [&](std::string name) {
    if (std::ranges::find(gpus, name) != gpus.end()) {
      throw UsageError(fmt::format("--gpus {}: {} is named twice", list, name));
    }
    gpus.push_back(std::move(name));
  };
  for (const std::string_view part : split(list)) {
    if (part.starts_with("GPU-") || part.starts_with("MIG-")) {
      add(std::string(part));
      continue;
    }
    const auto range = parse_range(part);
    if (!range) {
      throw UsageError(fmt::format("--gpus {}: '{}' is no GPU, such as 0, 2-3 or GPU-8932f937", list, part));
    }
    for (std::size_t number = range->first; number <= range->last; ++number) add(name_of(number, visible));
  }
  return gpus;
}

}  // namespace leat::tools
