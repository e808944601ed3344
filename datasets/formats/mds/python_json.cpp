#include "leat/datasets/formats/mds/python_json.h"

#include <nlohmann/json.hpp>

#include "leat/datasets/errors.h"

namespace leat::detail {

std::string python_json_string(std::string_view text) {
  try {
    return nlohmann::json(text).dump(-1, ' ', true);
  } catch (const nlohmann::json::type_error&) {
    throw ArgumentError("a field's name is not UTF-8: " + std::string(text));
  }
}

}  // namespace leat::detail
