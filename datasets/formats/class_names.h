// The names of the classes whose numbers are the labels, beside shards of formats that have no place for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leat {

inline constexpr const char* kClassNamesFile = "leat-classes.json";

// Of leat-classes.json in the folder, {"classes": ["cat", "dog"]}; none where there is no such file. Throws DataError
// naming the file where it is damaged.
std::vector<std::string> read_class_names(const std::filesystem::path& folder);

}  // namespace leat
