// The names of the classes whose numbers are the labels, beside shards of formats that have no place for them:
// leat-classes.json, {"classes": ["cat", "dog"]}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/record_schema.h"

namespace leat::detail {

inline constexpr const char* kClassNamesFile = "leat-classes.json";

// None where the folder has no such file. Throws DataError naming the file where it is damaged.
std::vector<std::string> read_class_names(const std::filesystem::path& folder);

// The file's content; empty where there are no classes. Throws ArgumentError where a name is not UTF-8.
std::string class_names_text(const RecordSchema& schema);

// Does nothing where the text is empty.
void write_class_names(const std::filesystem::path& folder, const std::string& text);

}  // namespace leat::detail
