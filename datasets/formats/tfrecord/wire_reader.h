// Protocol buffers' wire format, as far as tf.train.Example needs it.
// Source: protobuf.dev, "Encoding".
#pragma once

#include <cstdint>
#include <optional>

#include "leat/datasets/io/byte_reader.h"

namespace leat::detail {

// Reads one message, field by field, without recursion: a nested message has a reader of its own. Throws DataError on
// everything that reaches beyond the end, on a varint of more than 64 bits, and on the group types, which have been
// out of use for years.
class WireReader {
 public:
  enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  struct Field {
    std::uint64_t number;
    Type type;
  };

  explicit WireReader(ByteReader message) noexcept : message_(message) {}

  // Returns the next field's number and type; none at the end. The caller must then take its value, or skip it.
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
