#include "tools/convert/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace leat::tools {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr std::size_t kMostLabels = 20;

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1U << 10) return fmt::format("{} B", bytes);
  if (bytes < 1U << 20) return fmt::format("{:g} KiB", double(bytes) / double(1U << 10));
  return fmt::format("{:g} MiB", double(bytes) / double(1U << 20));
}

struct Line {
  std::string name;
  std::size_t count;
};

std::string lines_text(const std::vector<Line>& lines) {
  std::size_t most = 0, width = 0;
  for (const Line& line : lines) {
    most = std::max(most, line.count);
    width = std::max(width, line.name.size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("  {:<{}}  {:<{}} {}\n", line.name, width, bar(line.count, most, kBarWidth),
                        kBarWidth, line.count);
  }
  return text;
}

}  // namespace

std::string bar(std::size_t count, std::size_t most, std::size_t width) {
  return std::string(most == 0 ? 0 : (count * width + most - 1) / most, '#');
}

std::string size_histogram(std::span<const std::uint64_t> sizes) {
  std::map<int, std::size_t> counts;  // by the number of bits of the size
  for (const std::uint64_t size : sizes) ++counts[static_cast<int>(std::bit_width(size))];
  std::vector<Line> lines;
  for (const auto& [bits, count] : counts) {
    const std::uint64_t low = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    lines.push_back({fmt::format("from {:>8}", size_text(low)), count});
  }
  return lines_text(lines);
}

std::string class_name(std::int64_t label, const std::vector<std::string>& classes) {
  const bool is_named = label >= 0 && static_cast<std::uint64_t>(label) < classes.size();
  return is_named ? classes[static_cast<std::size_t>(label)] : fmt::format("{}", label);
}

std::string label_histogram(const std::map<std::int64_t, std::size_t>& counts,
                            const std::vector<std::string>& classes) {
  std::vector<std::pair<std::int64_t, std::size_t>> shown(counts.begin(), counts.end());
  if (shown.size() > kMostLabels) {
    // Keep the most frequent labels; of equally frequent ones, the lower.
    std::ranges::sort(shown, {}, [](const auto& each) { return std::pair(~each.second, each.first); });
    shown.resize(kMostLabels);
    std::ranges::sort(shown);
  }
  std::vector<Line> lines;
  for (const auto& [label, count] : shown) {
    const std::string name = class_name(label, classes), number = fmt::format("{}", label);
    lines.push_back({name == number ? number : fmt::format("{} {}", number, name), count});
  }
  std::string text = fmt::format("samples of each label:\n{}", lines_text(lines));
  if (counts.size() > shown.size()) {
    text += fmt::format("  and {} labels with fewer\n", counts.size() - shown.size());
  }
  return text;
}

}  // namespace leat::tools
