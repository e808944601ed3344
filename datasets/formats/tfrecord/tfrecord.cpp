#include "leat/datasets/formats/tfrecord/tfrecord.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/shard_pattern.h"
#include "leat/datasets/formats/tfrecord/tf_example.h"
#include "leat/datasets/formats/tfrecord/tfrecord_index.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

TfRecordSource::TfRecordSource(const std::string& where, TfRecordOptions options)
    : options_(std::move(options)), shards_(find_shards(where, {".tfrecord", ".tfrecords"})) {
  const IndexCache cache("tfrecord1", options_.index);
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    const FileReader file(shards_.path(shard));
    cache.use(
        file, [&] { return scan_tfrecord(file); },
        [&](std::span<const std::byte> payload) { add_shard(payload, file); });
  }
}

void TfRecordSource::add_shard(std::span<const std::byte> payload, const FileReader& file) {
  std::vector<Record> added;
  added.reserve(payload.size() / 16);
  for (ByteReader reader(payload, file.path()); !reader.at_end();) {
    const Record record{reader.little<std::uint64_t>(), reader.little<std::uint64_t>()};
    if (record.offset > file.size() || record.length > file.size() - record.offset ||
        file.size() - record.offset - record.length < kTfRecordTail) {
      reader.fail("a record outside of its file");
    }
    added.push_back(record);
  }
  records_.insert(records_.end(), added.begin(), added.end());
  shard_ends_.push_back(records_.size());
}

std::size_t TfRecordSource::shard_of(std::size_t index) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(shard_ends_, index) - shard_ends_.begin());
}

void TfRecordSource::read_data(std::size_t index, std::vector<std::byte>& data) const {
  const Record& record = records_[index];
  if (record.length > options_.max_record_bytes) {
    throw DataError(describe(index), fmt::format("it has {} bytes, the limit is {}", record.length,
                                                 options_.max_record_bytes));
  }
  shards_.read(shard_of(index), record.offset, record.length + kTfRecordTail, data);
  const auto content = std::span<const std::byte>(data).first(static_cast<std::size_t>(record.length));
  ByteReader tail(std::span<const std::byte>(data).last(kTfRecordTail), {});
  if (tail.little<std::uint32_t>() != masked_crc32c(content)) {
    throw DataError(describe(index), "the data's checksum is wrong");
  }
  data.resize(content.size());
}

void TfRecordSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  thread_local std::vector<std::byte> data;
  read_data(index, data);
  if (options_.parse_examples) {
    parse_tf_example(data, describe(index), choice, sample);
  } else if (choice.wants("data")) {
    append_bytes(sample.add("data", Encoding::bytes).memory(), data);
  }
}

void TfRecordSource::read_ahead(std::size_t index, const FieldChoice&) const noexcept {
  const Record& record = records_[index];
  shards_.read_ahead(shard_of(index), record.offset, record.length + kTfRecordTail);
}

std::string TfRecordSource::describe(std::size_t index) const {
  check_index(index);
  const std::size_t shard = shard_of(index);
  const std::size_t before = shard == 0 ? 0 : shard_ends_[shard - 1];
  return fmt::format("{}, record {} (at offset {})", shards_.path(shard), index - before,
                     records_[index].offset - kTfRecordHead);
}

}  // namespace leat::detail
