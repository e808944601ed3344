// Where the fields of a record lie in its body (docs/record-format.md, "Record").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/schema.h"

namespace leat::detail {

struct FieldPlace {
  std::size_t offset = 0;  // in the body
  std::size_t bytes = 0;
  std::size_t length = 0;  // elements of a ragged field; 1 for a fixed one
};

// Immutable, thread-safe.
class BodyLayout {
 public:
  static constexpr std::size_t kMaxBytes = 0xffff'ffff;  // the index holds lengths in 32 bits

  // `alignment` is a power of two. Throws ArgumentError where the fixed fields alone exceed kMaxBytes, or the
  // bounds of all fields 64 bits.
  BodyLayout(const Schema& schema, std::size_t alignment);

  // No body is longer.
  std::size_t max_bytes() const noexcept { return max_bytes_; }

  // The first fields, up to the first ragged one, lie at the same place in every body.
  std::span<const FieldPlace> leading() const noexcept { return leading_; }

  // Of a boolean field: throws ArgumentError that names it where a byte of `value` is neither 0 nor 1.
  void check_booleans(std::size_t field, std::span<const std::byte> value) const;
  std::span<const std::size_t> boolean_fields() const noexcept { return boolean_; }

  // Replaces `body` by that of a record; one value per field, each of whole elements. Throws ArgumentError that
  // names a field whose value has another size than its shape, or is longer than its max_length, or holds a byte that
  // is no boolean where it should be one.
  void encode(std::span<const std::vector<std::byte>> values, std::vector<std::byte>& body) const;

  // The fields' places in a body of `bytes`, whose first lengths_bytes() are `lengths`. `places` holds one per
  // field. Throws Error where a length exceeds its bound or they do not add up to `bytes`.
  void find(std::span<const std::byte> lengths, std::size_t bytes, std::span<FieldPlace> places) const;
  std::size_t lengths_bytes() const noexcept { return ragged_ * sizeof(std::uint32_t); }

 private:
  std::size_t length_of(std::size_t field, std::size_t bytes) const;

  Schema schema_;
  std::size_t alignment_;
  std::size_t ragged_;  // ragged fields
  std::size_t max_bytes_ = 0;
  std::vector<FieldPlace> leading_;
  std::vector<std::size_t> boolean_;
};

}  // namespace leat::detail
