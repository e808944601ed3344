#include "leat/datasets/shards/record_writer.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/shards/plan_compression.h"
#include "leat/datasets/shards/record_format.h"
#include "leat/datasets/shards/shard_set_writer.h"

namespace leat {

namespace fs = std::filesystem;

struct RecordWriter::Writing {
  Writing(const fs::path& folder, const RecordSchema& schema, const RecordWriterOptions& options,
          const Compression& compression)
      : format(schema, {options.alignment, compression}), shards(folder, format, options.shard_bytes) {}

  RecordFormat format;
  ShardSetWriter shards;  // refers to the format
  std::size_t samples = 0;

  void add(const ConversionSample& sample) { shards.add(format.encode(sample, samples++)); }
};

RecordWriter::RecordWriter(fs::path folder, RecordSchema schema, RecordWriterOptions options)
    : folder_(std::move(folder)), schema_(std::move(schema)), options_(options) {
  // Said now, and not after the first samples.
  const RecordFormat format(
      schema_,
      {options_.alignment, {options_.zstd != RecordWriterOptions::Zstd::off, options_.zstd_level, {}}});
  [[maybe_unused]] const ShardSetWriter writer(folder_, format, options_.shard_bytes);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw SystemError("making the folder " + folder_.string(), error.value());
  if (!fs::is_empty(folder_)) {
    throw ArgumentError(fmt::format("the folder {} is not empty: name a new one", folder_.string()));
  }
}

RecordWriter::~RecordWriter() = default;

void RecordWriter::add(ConversionSample sample) {
  if (writing_) return writing_->add(sample);
  std::vector<std::byte> body;
  BodyLayout(schema_.fields(), options_.alignment)
      .encode(sample.fields, body);  // a bad one is its caller's error
  first_bytes_ += bytes_of(sample);
  first_.push_back(std::move(sample));
  if (enough_to_plan(first_.size(), first_bytes_)) start();
}

void RecordWriter::start() {
  const Compression compression = plan_compression(schema_, options_, first_);
  writing_ = std::make_unique<Writing>(folder_, schema_, options_, compression);
  for (const ConversionSample& sample : std::exchange(first_, {})) writing_->add(sample);
}

void RecordWriter::finish() {
  if (!writing_) start();
  writing_->shards.finish();
}

}  // namespace leat
