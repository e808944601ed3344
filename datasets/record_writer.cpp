#include "leat/datasets/record_writer.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/records/plan_compression.h"
#include "leat/datasets/formats/records/record_shard_writer.h"
#include "leat/datasets/formats/shard_set_writer.h"
#include "leat/datasets/io/listing.h"

namespace leat {

using namespace detail;

namespace {

namespace fs = std::filesystem;

// State that exists once it is decided whether to compress.
struct Writing {
  Writing(const fs::path& folder, const RecordSchema& schema, const RecordWriterOptions& options,
          const Compression& compression)
      : writer(schema, {options.alignment, compression}), shards(folder, writer, options.shard_bytes) {}

  void add(const Record& record) { shards.add(writer.encode(record, samples++)); }

  RecordShardWriter writer;
  ShardSetWriter shards;  // keeps a reference to `writer`
  std::size_t samples = 0;
};

// Throws ArgumentError before samples are added, not after the first ones.
void check(const fs::path& folder, const RecordSchema& schema, const RecordWriterOptions& options) {
  const Compression compression{options.zstd != RecordWriterOptions::Zstd::off, options.zstd_level, {}};
  const RecordShardWriter writer(schema, {options.alignment, compression});
  [[maybe_unused]] const ShardSetWriter shards(folder, writer, options.shard_bytes);
}

}  // namespace

struct RecordWriter::Impl {
  Impl(fs::path into, RecordSchema of, RecordWriterOptions how)
      : folder(std::move(into)),
        schema(std::move(of)),
        options(how),
        layout(schema.fields(), options.alignment) {}

  void add(Record record);
  void start();
  void finish();

  fs::path folder;
  RecordSchema schema;
  RecordWriterOptions options;
  BodyLayout layout;
  std::vector<Record> first{};  // records kept until there are enough to decide on compression
  std::size_t first_bytes = 0;
  std::unique_ptr<Writing> writing{};
  bool is_incomplete = false;  // accepted records could not be written
};

void RecordWriter::Impl::add(Record record) {
  if (writing) return writing->add(record);
  std::vector<std::byte> body;
  layout.encode(record.fields, body);  // throws to the caller if the record is invalid
  first_bytes += bytes_of(record);
  first.push_back(std::move(record));
  if (enough_to_plan(first.size(), first_bytes)) start();
}

void RecordWriter::Impl::start() {
  const Compression compression = plan_compression(schema, options, first);
  writing = std::make_unique<Writing>(folder, schema, options, compression);
  is_incomplete = true;  // stays set if add() throws
  for (const Record& record : std::exchange(first, {})) writing->add(record);
  is_incomplete = false;
}

void RecordWriter::Impl::finish() {
  if (is_incomplete)
    throw Error(
        fmt::format("the records in {} are not complete: an error stopped the writing of the first ones",
                    folder.string()));
  if (!writing) start();
  writing->shards.finish();
}

RecordWriter::RecordWriter(fs::path folder, RecordSchema schema, RecordWriterOptions options) {
  check(folder, schema, options);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError("making the folder " + folder.string(), error.value());
  if (!listing([&] { return fs::is_empty(folder); })) {
    throw ArgumentError(fmt::format("the folder {} is not empty: name a new one", folder.string()));
  }
  impl_ = std::make_unique<Impl>(std::move(folder), std::move(schema), options);
}

RecordWriter::~RecordWriter() = default;
RecordWriter::RecordWriter(RecordWriter&&) noexcept = default;
RecordWriter& RecordWriter::operator=(RecordWriter&&) noexcept = default;

void RecordWriter::add(Record record) {
  impl_->add(std::move(record));
}

void RecordWriter::finish() {
  impl_->finish();
}

}  // namespace leat
