#include "leat/datasets/formats/tfrecord/wire_reader.h"

#include <fmt/format.h>

namespace leat::detail {

std::optional<WireReader::Field> WireReader::next() {
  if (message_.at_end()) return std::nullopt;
  const std::uint64_t tag = varint();
  const auto type = static_cast<unsigned>(tag & 7);
  if (tag >> 3 == 0) fail("a field has the number 0");
  if (type != 0 && type != 1 && type != 2 && type != 5)
    fail(fmt::format("a field has the wire type {}", type));
  return Field{tag >> 3, static_cast<Type>(type)};
}

std::uint64_t WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const auto byte = message_.little<std::uint8_t>();
    if (shift == 63 && byte > 1) break;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  fail("a number has more than 64 bits");
}

void WireReader::skip(Type type) {
  switch (type) {
    case Type::varint:
      varint();
      break;
    case Type::fixed64:
      message_.take(8);
      break;
    case Type::bytes:
      bytes();
      break;
    case Type::fixed32:
      message_.take(4);
      break;
  }
}

}  // namespace leat::detail
