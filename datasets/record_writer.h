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

/// How records are written.
struct LEAT_EXPORT RecordWriterOptions {
  /// Whether records are compressed with zstd.
  enum class Zstd {
    automatic,  ///< If that pays, as measured on the first records.
    off,        ///< No.
    on,         ///< Yes, with a dictionary if that pays.
  };

  /// The greatest size of a shard, unless one record is larger.
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  /// The alignment of records, a power of two from 8 to 4096; with 64, records that are not compressed can be read
  /// straight into aligned rows.
  std::size_t alignment = 8;
  Zstd zstd = Zstd::automatic;  ///< Whether records are compressed.
  int zstd_level = 3;           ///< From 1 to 22.
};

/// Writes a set of leat records: the shards and, in finish(), the manifest, without which the set cannot be opened. The
/// bytes are a function of the records and the options alone. docs/record-format.md describes the format. Not
/// thread-safe.
class LEAT_EXPORT RecordWriter {
 public:
  /// Makes the folder if need be. Throws ArgumentError if the folder holds anything, or on options out of range;
  /// SystemError if it cannot be made.
  RecordWriter(std::filesystem::path folder, RecordSchema schema, RecordWriterOptions options = {});
  ~RecordWriter();
  /// A moved-from writer may only be destroyed or assigned to.
  RecordWriter(RecordWriter&&) noexcept;
  /// A moved-from writer may only be destroyed or assigned to.
  RecordWriter& operator=(RecordWriter&&) noexcept;

  /// Adds a record. Throws ArgumentError on one that does not fit the schema, SystemError if the disk is full.
  void add(Record record);
  /// Writes what is left, and the manifest. Call it once, at the end. Throws SystemError.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leat
