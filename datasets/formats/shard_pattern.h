// Which files a dataset of shards consists of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// "a-{000..012}.tar" is a-000.tar to a-012.tar: ranges of numbers, padded as their first one is; several ranges vary
// like digits, the last one fastest. Text without braces stands for itself. Throws ArgumentError on braces that are no
// range, on a range that runs backwards, and on more than `max_names` names.
std::vector<std::string> expand_braces(std::string_view pattern, std::size_t max_names = 1'000'000);

// The files that `where` names: a folder (every file in it whose name ends in one of `suffixes`, in byte order), or
// a pattern for expand_braces(). A link that leads nowhere counts, so that opening it says so. Throws ArgumentError
// if a folder has no such file, and SystemError if it cannot be listed or one of them cannot be looked at.
std::vector<std::string> find_shards(const std::string& where, const std::vector<std::string>& suffixes);

}  // namespace leat::detail
