#include "leat/datasets/records/record_dataset.h"

#include <algorithm>
#include <array>
#include <span>

namespace leat {

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
    std::ranges::copy(value, out.ragged_bytes(field, record.length(field)).begin());
  }
}

}  // namespace leat
