#include "leat/loader/slots/ragged_packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

class FieldPacker {
 public:
  FieldPacker(const BatchLayout& layout, std::size_t field, std::byte* base, RowMemory* memory)
      : memory_(memory),
        field_(layout.schema()[field]),
        max_length_(*field_.max_length),
        element_bytes_(field_.element_bytes()),
        offsets_(layout.row_offsets(field, base)),
        values_(base + layout.offset(field)) {
    offsets_[0] = 0;
  }

  void append_chunk(std::size_t first, std::size_t last) {
    const std::size_t start = first * max_length_;
    std::size_t end = start;
    for (std::size_t row = first; row < last; ++row) {
      const std::size_t next = checked_end(row, end);
      offsets_[row + 1] = static_cast<std::int64_t>(next - start + packed_);
      end = next;
    }
    if (packed_ != start) {
      take_rows(memory_, field_, {values_ + packed_ * element_bytes_, (end - start) * element_bytes_});
      std::memmove(values_ + packed_ * element_bytes_, values_ + start * element_bytes_,
                   (end - start) * element_bytes_);
    }
    packed_ += end - start;
  }

 private:
  std::size_t checked_end(std::size_t row, std::size_t start) const {
    const auto end = static_cast<std::size_t>(offsets_[row + 1]);
    if (end >= start && end - start <= max_length_) return end;
    throw Error(
        fmt::format("field '{}': row {} of the batch says that it lies at elements {} to {}; its "
                    "offsets were overwritten, or never written",
                    field_.name, row, start, end));
  }

  RowMemory* const memory_;
  const Field& field_;
  const std::size_t max_length_;
  const std::size_t element_bytes_;
  const std::span<std::int64_t> offsets_;
  std::byte* const values_;
  std::size_t packed_ = 0;  // elements
};

}  // namespace

void pack_ragged_fields(const BatchLayout& layout, std::byte* base, std::size_t rows,
                        std::size_t rows_per_chunk, RowMemory* memory) {
  if (layout.schema().ragged_fields() == 0) return;
  for (std::size_t field = 0; field < layout.schema().size(); ++field) {
    if (!layout.schema()[field].is_ragged()) continue;
    FieldPacker packer(layout, field, base, memory);
    for (std::size_t first = 0; first < rows; first += rows_per_chunk) {
      packer.append_chunk(first, std::min(first + rows_per_chunk, rows));
    }
  }
}

void empty_ragged_row(const BatchLayout& layout, std::byte* base, std::size_t first, std::size_t row) {
  if (layout.schema().ragged_fields() == 0) return;
  for (std::size_t field = 0; field < layout.schema().size(); ++field) {
    const Field& of = layout.schema()[field];
    if (!of.is_ragged()) continue;
    const auto offsets = layout.row_offsets(field, base);
    offsets[row + 1] = row == first ? static_cast<std::int64_t>(first * *of.max_length) : offsets[row];
  }
}

}  // namespace leat::detail
