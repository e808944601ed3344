// The names of classes; labels are the classes' numbers. For shards of formats that have no place for the names: a
// file beside them, leat-classes.json, {"classes": ["cat", "dog"]}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/record_schema.h"

namespace leat::detail {

inline constexpr const char* kClassNamesFile = "leat-classes.json";

// Returns no names if the folder has no such file. Throws DataError naming the file if it is damaged.
std::vector<std::string> read_class_names(const std::filesystem::path& folder);

// Returns the file's content; empty if there are no classes. Throws ArgumentError if a name is not UTF-8.
std::string class_names_text(const RecordSchema& schema);

// Writes the file. Does nothing if the text is empty.
void write_class_names(const std::filesystem::path& folder, const std::string& text);

}  // namespace leat::detail
