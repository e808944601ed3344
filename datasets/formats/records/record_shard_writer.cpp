#include "leat/datasets/formats/records/record_shard_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/records/schema_json.h"
#include "leat/datasets/formats/records/shard_parts.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

namespace {

class RecordShard final : public ShardBuilder {
 public:
  RecordShard(DurableFile& file, const ShardHeader& header, std::span<const std::byte> head)
      : file_(file), alignment_(header.alignment) {
    file_.write(to_bytes(header));
    file_.write(head);
    file_.pad_to(alignment_);
    footer_.data_offset = file_.size();
  }

  std::uint64_t bytes_with(const EncodedSample& sample) const override {
    const std::uint64_t end = checked_add(align_up(file_.size(), alignment_), sample.bytes.size());
    return align_up(end, sizeof(std::uint64_t)) + index_bytes(entries_.size() + 1) + kFooterBytes;
  }

  void add(EncodedSample sample) override {
    if (entries_.size() == kMaxRecords) {
      throw ArgumentError(
          fmt::format("a shard holds at most {} records: choose smaller shards", kMaxRecords));
    }
    file_.pad_to(alignment_);
    entries_.push_back({file_.size(), static_cast<std::uint32_t>(sample.bytes.size()),
                        static_cast<std::uint32_t>(sample.raw_bytes), sample.checksum});
    file_.write(sample.bytes);
    footer_.stored_bytes += sample.bytes.size();
    footer_.raw_bytes += sample.raw_bytes;
  }

  void finish() override {
    file_.pad_to(sizeof(std::uint64_t));
    footer_.records = entries_.size();
    footer_.index_offset = file_.size();
    file_.write(to_bytes(entries_));
    footer_.file_bytes = file_.size() + kFooterBytes;
    file_.write(to_bytes(footer_));
  }

 private:
  DurableFile& file_;
  std::size_t alignment_;
  std::vector<IndexEntry> entries_;
  ShardFooter footer_;
};

std::vector<std::size_t> lengths_of(const Schema& fields, const Record& sample) {
  std::vector<std::size_t> lengths;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (fields[field].is_ragged()) {
      lengths.push_back(sample.fields[field].size() / fields[field].element_bytes());
    }
  }
  return lengths;
}

}  // namespace

RecordShardWriter::RecordShardWriter(RecordSchema schema, Options options)
    : schema_(std::move(schema)),
      options_(std::move(options)),
      layout_(schema_.fields(), (check_alignment(options_.alignment), options_.alignment)) {
  if (options_.compression.on) compressor_ = std::make_unique<RecordCompressor>(options_.compression);
  nlohmann::json object = nlohmann::json::object();
  write_schema(schema_, object);
  const std::string text = to_text(object);
  const auto& dictionary = options_.compression.dictionary;
  if (text.size() > kMaxSchemaBytes || dictionary.size() > kMaxDictionaryBytes) {
    throw ArgumentError("the schema or the dictionary is longer than a shard can hold");
  }
  const auto bytes = std::as_bytes(std::span(text));
  head_.assign(bytes.begin(), bytes.end());
  schema_bytes_ = head_.size();
  if (compressor_) head_.insert(head_.end(), dictionary.begin(), dictionary.end());
}

EncodedSample RecordShardWriter::encode(const Record& sample, std::size_t index) const {
  (void)index;  // records have no names of their own
  EncodedSample encoded;
  layout_.encode(sample.fields, encoded.bytes);
  encoded.raw_bytes = encoded.bytes.size();
  std::vector<std::byte> frame;
  if (compressor_ && compressor_->compress(encoded.bytes, frame))
    encoded.bytes.assign(frame.begin(), frame.end());
  encoded.checksum = xxh3(encoded.bytes);
  encoded.lengths = lengths_of(schema_.fields(), sample);
  return encoded;
}

std::string RecordShardWriter::shard_name(std::size_t shard) const {
  return fmt::format("shard-{:05}.leat", shard);
}

std::unique_ptr<ShardBuilder> RecordShardWriter::begin(std::size_t shard, DurableFile& file) const {
  ShardHeader header;
  header.codec = compressor_ ? Codec::zstd : Codec::none;
  header.alignment = static_cast<std::uint32_t>(options_.alignment);
  header.schema_bytes = schema_bytes_;
  header.dictionary_bytes = head_.size() - schema_bytes_;
  header.shard = shard;
  header.head_checksum = xxh3(head_);
  return std::make_unique<RecordShard>(file, header, head_);
}

void RecordShardWriter::write_index(const std::filesystem::path& folder,
                                    std::span<const ShardSummary> shards) const {
  Manifest manifest;
  std::vector<std::size_t> longest(schema_.fields().ragged_before(schema_.size() - 1) + 1);
  for (const ShardSummary& shard : shards) {
    manifest.shards.push_back({shard.file, shard.samples, shard.bytes, shard.raw_bytes, shard.checksum});
    for (std::size_t i = 0; i < shard.max_lengths.size(); ++i) {
      longest[i] = std::max(longest[i], shard.max_lengths[i]);
    }
  }
  manifest.schema = schema_.with_max_lengths(longest);
  write_durably(folder / kManifestName, to_json(manifest));
}

}  // namespace leat::detail
