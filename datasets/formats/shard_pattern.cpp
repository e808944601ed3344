#include "leat/datasets/formats/shard_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/listing.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDigits = 18;  // fits into 64 bits

struct Range {
  std::size_t first;
  std::size_t last;
  std::size_t digits;  // zero-padded to this many
};

[[noreturn]] void refuse(std::string_view pattern, std::string_view why) {
  throw ArgumentError(fmt::format("'{}': {}", pattern, why));
}

std::size_t number_of(std::string_view text, std::string_view pattern) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty() &&
      text.size() <= kMaxDigits) {
    return value;
  }
  refuse(pattern, "braces hold a range of numbers, such as {000..123}");
}

Range range_of(std::string_view inside, std::string_view pattern) {
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) refuse(pattern, "braces hold a range of numbers, such as {000..123}");
  const Range range{number_of(inside.substr(0, dots), pattern), number_of(inside.substr(dots + 2), pattern),
                    dots};
  if (range.first > range.last) refuse(pattern, "a range runs from the smaller number to the larger one");
  return range;
}

}  // namespace

std::vector<std::string> expand_braces(std::string_view pattern, std::size_t max_names) {
  std::vector<std::string> names{""};
  std::string_view rest = pattern;
  while (true) {
    const std::size_t open = rest.find('{'), close = rest.find('}');
    for (std::string& name : names) name += rest.substr(0, std::min(open, close));
    if (open == std::string_view::npos && close == std::string_view::npos) return names;
    if (open > close || close == std::string_view::npos) refuse(pattern, "a brace has no counterpart");
    const Range range = range_of(rest.substr(open + 1, close - open - 1), pattern);
    if (range.last - range.first >= max_names / names.size()) {
      refuse(pattern, fmt::format("it stands for more than {} names", max_names));
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (std::size_t n = range.first; n <= range.last; ++n) {
        longer.push_back(fmt::format("{}{:0{}}", name, n, range.digits));
      }
    }
    names = std::move(longer);
    rest.remove_prefix(close + 1);
  }
}

std::vector<std::string> find_shards(const std::string& where, const std::vector<std::string>& suffixes) {
  std::error_code error;
  if (fs::is_regular_file(where, error)) return {where};  // even with braces in the name
  if (!fs::is_directory(where, error)) return expand_braces(where);
  std::vector<std::string> found;
  listing([&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(where)) {
      const std::string name = entry.path().string();
      const bool ends =
          std::ranges::any_of(suffixes, [&](const std::string& suffix) { return name.ends_with(suffix); });
      // A link that leads nowhere is also a shard: opening it reports the error.
      if (ends && (entry.is_regular_file() || !entry.exists())) found.push_back(name);
    }
  });
  if (found.empty())
    refuse(where, fmt::format("the folder holds no file that ends in {}", fmt::join(suffixes, " or ")));
  std::ranges::sort(found);
  return found;
}

}  // namespace leat::detail
