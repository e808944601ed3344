// Bar charts made of characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace leat::tools {

// Returns a bar of '#' for `count`. A bar for `most` has `width` of them. Rounded up: at least one if the count is
// not 0.
std::string bar(std::size_t count, std::size_t most, std::size_t width);

// Returns the counts per power of two: "  from   64 KiB  ########  123".
std::string size_histogram(std::span<const std::uint64_t> sizes);

// Returns the number of samples of each label: "  12 cat  ########  123". If there are many labels, shows the most
// frequent, and a line that counts the others.
std::string label_histogram(const std::map<std::int64_t, std::size_t>& counts,
                            const std::vector<std::string>& classes);

// Returns the class's name, or its number if it has no name.
std::string class_name(std::int64_t label, const std::vector<std::string>& classes);

}  // namespace leat::tools
