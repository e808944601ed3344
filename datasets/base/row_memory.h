// Where the memory of ragged rows comes from, as far as it is not there yet.
#pragma once

#include <cstddef>
#include <span>

#include "leat/datasets/schema.h"

namespace leat::detail {

class RowMemory {
 public:
  virtual ~RowMemory() = default;

  // From now on `bytes` may be written. False where there is not so much memory.
  virtual bool take(std::span<const std::byte> bytes) = 0;
};

// Before `bytes` of a ragged field are written. null: they are there. Throws MemoryError that names the field and
// its bound.
void take_rows(RowMemory* memory, const Field& field, std::span<const std::byte> bytes);

}  // namespace leat::detail
