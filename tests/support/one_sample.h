// One sample of a dataset, in memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "datasets/dataset.h"

namespace leat::test {

// Holds the fields of sample `index`; memory that get() left alone reads 0xee. Throws what get() throws, and
// where get() did not write all fields.
class OneSample {
 public:
  OneSample(const Dataset& dataset, std::size_t index, Rng rng) {
    const Schema& schema = dataset.schema();
    std::vector<std::byte*> columns;
    columns.reserve(schema.size());
    for (std::size_t field = 0; field < schema.size(); ++field) {
      fields_.emplace_back(schema.row_bytes(field), std::byte{0xee});
    }
    for (auto& field : fields_) columns.push_back(field.data());
    SampleWriter writer(schema, columns, 0);
    dataset.get(index, rng, writer);
    writer.check_complete();
  }
  OneSample(const Dataset& dataset, std::size_t index) : OneSample(dataset, index, Rng(1, 0, index)) {}

  const std::vector<std::byte>& bytes(std::size_t field) const { return fields_.at(field); }

  template <class T>
  std::vector<T> values(std::size_t field) const {
    std::vector<T> values(fields_.at(field).size() / sizeof(T));
    std::memcpy(values.data(), fields_[field].data(), fields_[field].size());
    return values;
  }

 private:
  std::vector<std::vector<std::byte>> fields_;
};

}  // namespace leat::test
