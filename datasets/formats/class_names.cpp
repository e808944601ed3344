#include "leat/datasets/formats/class_names.h"

#include <nlohmann/json.hpp>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/durable_file.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/read_file.h"

namespace leat::detail {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

}  // namespace

std::vector<std::string> read_class_names(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kClassNamesFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  std::vector<std::byte> bytes;
  read_file(path, kMaxBytes, bytes);
  const nlohmann::json object =
      parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  std::vector<std::string> names;
  for (const nlohmann::json& name : array_member(object, "classes", path.string())) {
    if (!name.is_string()) throw DataError(path.string(), "a class's name is no string");
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::string class_names_text(const RecordSchema& schema) {
  if (schema.classes().empty()) return {};
  return to_text({{"classes", schema.classes()}});
}

void write_class_names(const std::filesystem::path& folder, const std::string& text) {
  if (!text.empty()) write_durably(folder / kClassNamesFile, text);
}

}  // namespace leat::detail
