#include "tests/datasets/support/tfrecord_bytes.h"

#include <bit>

#include "leat/datasets/formats/tfrecord/tfrecord_index.h"
#include "tests/datasets/support/file_bytes.h"

namespace leat::test {

using namespace leat::detail;

namespace {

std::string feature(std::string_view name, unsigned kind, std::string_view list) {
  return wire_bytes(1, wire_bytes(1, name) + wire_bytes(2, wire_bytes(kind, list)));
}

}  // namespace

std::string tfrecord(std::string_view data) {
  const std::string length = FileBytes().u64(data.size()).str();
  return FileBytes()
      .text(length)
      .u32(masked_crc32c(bytes_of(length)))
      .text(data)
      .u32(masked_crc32c(bytes_of(data)))
      .str();
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string wire_bytes(unsigned field, std::string_view value) {
  return varint(field << 3 | 2) + varint(value.size()) + std::string(value);
}

std::string bytes_feature(std::string_view name, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += wire_bytes(1, value);
  return feature(name, 1, list);
}

std::string int_feature(std::string_view name, const std::vector<std::int64_t>& values, bool packed) {
  std::string list;
  for (const std::int64_t value : values) {
    list += (packed ? "" : varint(1 << 3)) + varint(static_cast<std::uint64_t>(value));
  }
  return feature(name, 3, packed ? wire_bytes(1, list) : list);
}

std::string float_feature(std::string_view name, const std::vector<float>& values, bool packed) {
  FileBytes list;
  for (const float value : values) {
    if (!packed) list.u8(1 << 3 | 5);
    list.u32(std::bit_cast<std::uint32_t>(value));
  }
  return feature(name, 2, packed ? wire_bytes(1, list) : list.str());
}

std::string example(const std::vector<std::string>& features) {
  std::string map;
  for (const std::string& one : features) map += one;
  return wire_bytes(1, map);
}

}  // namespace leat::test
