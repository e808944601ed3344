/// \file
/// The writer of leat records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "leat/datasets/export.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"

namespace leat {

/// Options for writing records.
struct LEAT_EXPORT RecordWriterOptions {
  /// Whether records are compressed with zstd.
  enum class Zstd {
    automatic,  ///< Compress if that pays, as measured on the first records.
    off,        ///< Do not compress.
    on,         ///< Compress, with a dictionary if that pays.
  };

  /// The maximum size of a shard, unless a single record is larger.
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  /// The alignment of records, a power of two from 8 to 4096. With 64, records that are not compressed can be read
  /// directly into aligned rows.
  std::size_t alignment = 8;
  Zstd zstd = Zstd::automatic;  ///< Whether records are compressed.
  int zstd_level = 3;           ///< From 1 to 22.
};

/// Writes a set of leat records: the shards and, in finish(), the manifest. Without the manifest the set cannot be
/// opened. The bytes depend only on the records and the options. docs/record-format.md describes the format. Not
/// thread-safe.
class LEAT_EXPORT RecordWriter {
 public:
  /// Creates the folder if necessary. Throws ArgumentError if the folder is not empty or an option is out of range,
  /// and SystemError if the folder cannot be created.
  RecordWriter(std::filesystem::path folder, RecordSchema schema, RecordWriterOptions options = {});
  ~RecordWriter();
  /// A moved-from writer may only be destroyed or assigned to.
  RecordWriter(RecordWriter&&) noexcept;
  /// A moved-from writer may only be destroyed or assigned to.
  RecordWriter& operator=(RecordWriter&&) noexcept;

  /// Adds a record. Throws ArgumentError if the record does not fit the schema, and SystemError if the disk is full.
  void add(Record record);
  /// Writes the remaining records and the manifest. Call it once, at the end. Throws SystemError.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leat
