#include "leat/datasets/combinators/packed_sample.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

std::size_t length_bytes(const Schema& schema) {
  return static_cast<std::size_t>(std::popcount(schema.ragged_fields())) * sizeof(std::uint64_t);
}

// Removes the first `bytes` bytes from `left` and returns them.
std::span<const std::byte> cut(std::span<const std::byte>& left, std::size_t bytes, const char* what) {
  if (bytes > left.size()) {
    throw Error(fmt::format("a cached sample was overwritten: {} bytes of '{}', and {} are left", bytes, what,
                            left.size()));
  }
  const std::span<const std::byte> front = left.first(bytes);
  left = left.subspan(bytes);
  return front;
}

}  // namespace

std::size_t packed_bytes(const SampleWriter& sample) {
  const Schema& schema = sample.schema();
  std::size_t bytes = length_bytes(schema);
  for (std::size_t field = 0; field < schema.size(); ++field) bytes += sample.written(field).size();
  return bytes;
}

void pack(const SampleWriter& sample, std::span<std::byte> room) {
  const Schema& schema = sample.schema();
  std::byte* lengths = room.data();
  std::byte* values = lengths + length_bytes(schema);
  for (std::size_t field = 0; field < schema.size(); ++field) {
    const std::span<const std::byte> row = sample.written(field);
    if (schema[field].is_ragged()) {
      const std::uint64_t length = row.size() / schema[field].element_bytes();
      std::memcpy(lengths, &length, sizeof length);
      lengths += sizeof length;
    }
    if (!row.empty()) std::memcpy(values, row.data(), row.size());
    values += row.size();
  }
}

void unpack(std::span<const std::byte> packed, SampleWriter& out) {
  const Schema& schema = out.schema();
  std::span<const std::byte> lengths = cut(packed, length_bytes(schema), "lengths");
  for (std::size_t field = 0; field < schema.size(); ++field) {
    std::span<std::byte> row;
    if (schema[field].is_ragged()) {
      std::uint64_t length = 0;
      std::memcpy(&length, cut(lengths, sizeof length, "lengths").data(), sizeof length);
      row = out.ragged_bytes(field, length);
    } else {
      row = out.bytes(field);
    }
    const std::span<const std::byte> value = cut(packed, row.size(), schema[field].name.c_str());
    if (!row.empty()) std::memcpy(row.data(), value.data(), row.size());
  }
}

}  // namespace leat::detail
