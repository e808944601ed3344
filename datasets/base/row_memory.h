// Provides memory for ragged rows that has not been taken from the system yet.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/schema.h"

namespace leat::detail {

class RowMemory {
 public:
  virtual ~RowMemory() = default;

  // Makes `bytes` writable. Returns false if there is not enough memory.
  virtual bool take(std::span<const std::byte> bytes) = 0;
};

// Call this before writing `bytes` of a ragged field. If `memory` is null, the bytes are writable already. Throws
// MemoryError naming the field and its max_length.
void take_rows(RowMemory* memory, const Field& field, std::span<const std::byte> bytes);

}  // namespace leat::detail
