// One sample of a dataset, in memory of its own.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat::test {

// Holds the fields of sample `index`, ragged ones at the sample's length; memory that get() left alone reads
// 0xee. Throws what get() throws, and where get() did not write all fields.
class OneSample {
 public:
  OneSample(const Dataset& dataset, std::size_t index, Rng rng) {
    const Schema& schema = dataset.schema();
    std::vector<std::byte*> columns;
    row_offsets_.resize(static_cast<std::size_t>(std::popcount(schema.ragged_fields())));
    for (std::size_t field = 0; field < schema.size(); ++field) {
      fields_.emplace_back(schema.row_bytes(field), std::byte{0xee});
    }
    for (auto& field : fields_) columns.push_back(field.data());
    for (auto& ends : row_offsets_) columns.push_back(reinterpret_cast<std::byte*>(ends.data()));
    SampleWriter writer(schema, columns, 0);
    dataset.get(index, rng, writer);
    writer.check_complete();
    for (std::size_t field = 0; field < schema.size(); ++field) cut(schema, field);
  }
  OneSample(const Dataset& dataset, std::size_t index) : OneSample(dataset, index, Rng(1, 0, index)) {}

  const std::vector<std::byte>& bytes(std::size_t field) const { return fields_.at(field); }

  template <class T>
  std::vector<T> values(std::size_t field) const {
    std::vector<T> values(fields_.at(field).size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), fields_[field].data(), fields_[field].size());
    return values;
  }

 private:
  void cut(const Schema& schema, std::size_t field) {
    if (!schema[field].is_ragged()) return;
    const auto length = static_cast<std::size_t>(row_offsets_[schema.ragged_before(field)][1]);
    fields_[field].resize(length * schema[field].element_bytes());
  }

  std::vector<std::vector<std::byte>> fields_;
  std::vector<std::array<std::int64_t, 2>> row_offsets_;
};

}  // namespace leat::test
