#include "leat/datasets/shards/record_source.h"

#include "leat/datasets/records/xxh3.h"

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

std::uint64_t RecordSource::fingerprint() const {
  Xxh3Stream checksum;
  for (std::size_t shard = 0; shard < set_.manifest().shards.size(); ++shard) {
    const std::string path = set_.path_of(shard).string() + "\n";
    checksum.update(std::as_bytes(std::span(path)));
    checksum.update(std::as_bytes(std::span(&set_.manifest().shards[shard].checksum, 1)));
  }
  return checksum.digest();
}

}  // namespace leat
