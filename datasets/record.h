/// \file
/// The values of one record.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

/// The values of one record, one for each field of its schema: contiguous, little-endian, in C order. The value of a
/// ragged field has the size of its elements.
struct LEAT_EXPORT Record {
  std::vector<std::vector<std::byte>> fields;  ///< In the schema's order.
};

}  // namespace leat
