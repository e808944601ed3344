#include "leat/datasets/shards/class_names_file.h"

#include <nlohmann/json.hpp>

#include "leat/datasets/formats/class_names.h"
#include "leat/datasets/records/schema_json.h"
#include "leat/datasets/shards/durable_file.h"

namespace leat {

std::string class_names_text(const RecordSchema& schema) {
  if (schema.classes().empty()) return {};
  return to_text({{"classes", schema.classes()}});
}

void write_class_names(const std::filesystem::path& folder, const std::string& text) {
  if (!text.empty()) write_durably(folder / kClassNamesFile, text);
}

}  // namespace leat
