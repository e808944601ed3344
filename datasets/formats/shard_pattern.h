// Finds the files of a dataset of shards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// "a-{000..012}.tar" stands for a-000.tar to a-012.tar. A range of numbers is padded like its first number. Several
// ranges vary like digits, the last one fastest. Text without braces stands for itself. Throws ArgumentError if
// braces do not hold a range, a range runs backwards, or there are more than `max_names` names.
std::vector<std::string> expand_braces(std::string_view pattern, std::size_t max_names = 1'000'000);

// Returns the files that `where` names: a folder (every file in it whose name ends in one of `suffixes`, in byte
// order), or a pattern for expand_braces(). A link that leads nowhere is included, so that opening it reports the
// error. Throws ArgumentError if a folder has no such file, and SystemError if it cannot be listed or one of them
// cannot be examined.
std::vector<std::string> find_shards(const std::string& where, const std::vector<std::string>& suffixes);

}  // namespace leat::detail
