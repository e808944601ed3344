// Protocol buffers' wire format, as far as tf.train.Example needs it.
// Source: protobuf.dev, "Encoding".
#pragma once

#include <cstdint>
#include <optional>

#include "leat/datasets/io/byte_reader.h"

namespace leat::detail {

// One message, field by field. Nothing recurses: a nested message is a reader of its own. DataError on whatever
// reaches beyond the end, a varint of more than 64 bits, and the group types, which nobody has written for years.
class WireReader {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  struct Field {
    std::uint64_t number;
    Type type;
  };

  explicit WireReader(ByteReader message) noexcept : message_(message) {}

  // The next field's number and type; none at the end. Its value must then be taken, or skipped.
  std::optional<Field> next();

  std::uint64_t varint();
  std::uint32_t fixed32() { return message_.little<std::uint32_t>(); }
  ByteReader bytes() { return message_.sub(varint()); }
  void skip(Type type);

  bool at_end() const noexcept { return message_.at_end(); }
  [[noreturn]] void fail(std::string_view problem) const { message_.fail(problem); }

 private:
  ByteReader message_;
};

}  // namespace leat::detail
