// The layout of a record's fields in its body (docs/record-format.md, "Record").
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

  // `alignment` is a power of two. Throws ArgumentError if the fixed fields before the first ragged one exceed
  // kMaxBytes, or if the bounds of all fields exceed 64 bits.
  BodyLayout(const Schema& schema, std::size_t alignment);

  // Returns the greatest length of a body.
  std::size_t max_bytes() const noexcept { return max_bytes_; }

  // The fields before the first ragged one. They lie at the same place in every body.
  std::span<const FieldPlace> leading() const noexcept { return leading_; }

  // Checks a boolean field. Throws ArgumentError naming it if a byte of `value` is neither 0 nor 1.
  void check_booleans(std::size_t field, std::span<const std::byte> value) const;
  std::span<const std::size_t> boolean_fields() const noexcept { return boolean_; }

  // Replaces `body` by the body of a record. `values` has one value per field, each of whole elements. Throws
  // ArgumentError naming the field if the size of a value does not fit the field's shape, if the value is longer than
  // max_length, or if a boolean field holds a byte that is neither 0 nor 1.
  void encode(std::span<const std::vector<std::byte>> values, std::vector<std::byte>& body) const;

  // Finds the fields' places in a body of `bytes` bytes, whose first lengths_bytes() bytes are `lengths`. `places`
  // has one entry per field. Throws Error if a length exceeds its bound or the lengths do not add up to `bytes`.
  void find(std::span<const std::byte> lengths, std::size_t bytes, std::span<FieldPlace> places) const;
  std::size_t lengths_bytes() const noexcept { return ragged_ * sizeof(std::uint32_t); }

 private:
  std::size_t length_of(std::size_t field, std::size_t bytes) const;

  Schema schema_;
  std::size_t alignment_;
  std::size_t ragged_;  // number of ragged fields
  std::size_t max_bytes_ = 0;
  std::vector<FieldPlace> leading_;
  std::vector<std::size_t> boolean_;
};

}  // namespace leat::detail
