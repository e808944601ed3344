// Writes what read_class_names() reads.
#pragma once

#include <filesystem>
#include <string>

#include "leat/datasets/records/record_schema.h"

namespace leat {

// The file's content; empty where there are no classes. Throws ArgumentError where a name is not UTF-8.
std::string class_names_text(const RecordSchema& schema);

// Nothing where the text is empty.
void write_class_names(const std::filesystem::path& folder, const std::string& text);

}  // namespace leat
