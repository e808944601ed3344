#include "datasets/shards/record_source.h"

namespace leat {

ConversionSample RecordSource::read(std::size_t index) const {
  const RecordView record = set_.read(index);
  ConversionSample sample;
  for (std::size_t field = 0; field < schema().size(); ++field) {
    const auto value = record.bytes(field);
    sample.fields.emplace_back(value.begin(), value.end());
  }
  return sample;
}

}  // namespace leat
