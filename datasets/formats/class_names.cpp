#include "leat/datasets/formats/class_names.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/json_fields.h"
#include "leat/datasets/read_file.h"

namespace leat {

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
      detail::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  std::vector<std::string> names;
  for (const nlohmann::json& name : detail::array_member(object, "classes", path.string())) {
    if (!name.is_string()) throw DataError(path.string(), "a class's name is no string");
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace leat
