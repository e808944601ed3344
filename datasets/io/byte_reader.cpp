#include "leat/datasets/io/byte_reader.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"

namespace leat::detail {

void ByteReader::fail(std::string_view problem) const {
  throw DataError(std::string(source_), fmt::format("at offset {}: {}", offset(), problem));
}

void ByteReader::fail_short(std::uint64_t wanted) const {
  fail(fmt::format("{} bytes are expected, but {} are left", wanted, remaining()));
}

}  // namespace leat::detail
