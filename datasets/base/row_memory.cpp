#include "leat/datasets/base/row_memory.h"

#include <fmt/format.h>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

void take_rows(RowMemory* memory, const Field& field, std::span<const std::byte> bytes) {
  if (memory == nullptr || memory->take(bytes)) return;
  throw memory_error(fmt::format("rows of field '{}' (max_length {})", field.name, *field.max_length),
                     bytes.size());
}

}  // namespace leat::detail
