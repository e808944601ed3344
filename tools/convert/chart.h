// Numbers as bars of characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace leat::tools {

// '#' for `count` of `most`, of which there are `width`; one at least where the count is not 0.
std::string bar(std::size_t count, std::size_t most, std::size_t width);

// Counts per power of two: "  from   64 KiB  ########  123".
std::string size_histogram(std::span<const std::uint64_t> sizes);

// Samples of each label: "  12 cat  ########  123"; of many labels the largest, and a line that counts the others.
std::string label_histogram(const std::map<std::int64_t, std::size_t>& counts,
                            const std::vector<std::string>& classes);

// The class's name, or else its number.
std::string class_name(std::int64_t label, const std::vector<std::string>& classes);

}  // namespace leat::tools
