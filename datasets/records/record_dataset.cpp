#include "datasets/records/record_dataset.h"

#include <algorithm>
#include <array>
#include <span>

namespace leat {

namespace {

// Room for `length` elements of a ragged field, as bytes.
std::span<std::byte> ragged_row(SampleWriter& out, std::size_t field, std::size_t length, std::size_t bytes) {
  const auto row = [&]<class T>(T) {
    return std::as_writable_bytes(out.ragged<T>(field, length)).first(bytes);
  };
  switch (out.schema()[field].dtype) {
    case DType::u8:
      return row(std::uint8_t{});
    case DType::i8:
      return row(std::int8_t{});
    case DType::u16:
      return row(std::uint16_t{});
    case DType::i16:
      return row(std::int16_t{});
    case DType::u32:
      return row(std::uint32_t{});
    case DType::i32:
      return row(std::int32_t{});
    case DType::u64:
      return row(std::uint64_t{});
    case DType::i64:
      return row(std::int64_t{});
    case DType::f16:
      return row(Half{});
    case DType::bf16:
      return row(BFloat16{});
    case DType::f32:
      return row(float{});
    case DType::f64:
      return row(double{});
    case DType::boolean:
      return row(bool{});
  }
  return {};
}

}  // namespace

void RecordDataset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  (void)rng;  // records are what they are
  const Schema& fields = schema();
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (!fields[field].is_ragged()) rows[field] = out.bytes(field);
  }
  const RecordView record = set_.read(index, {rows.data(), fields.size()});
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (!fields[field].is_ragged()) continue;
    const std::span<const std::byte> value = record.bytes(field);
    std::ranges::copy(value, ragged_row(out, field, record.length(field), value.size()).begin());
  }
}

}  // namespace leat
