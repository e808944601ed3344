// Writes leat records from any program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "leat/datasets/records/record_schema.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat {

struct RecordWriterOptions {
  enum class Zstd { automatic, off, on };

  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  std::size_t alignment = 8;    // a power of two from 8 to 4096; 64 lets rows of pixels be read in place
  Zstd zstd = Zstd::automatic;  // measured on the first records; on: with a dictionary where that pays
  int zstd_level = 3;
};

// Makes the folder if need be, and in it the shards and, in finish(), the manifest, without which the set is none. The
// bytes are a function of the samples and the options alone. Not thread-safe.
class RecordWriter {
 public:
  // Throws ArgumentError where the folder holds anything, or on options out of range.
  RecordWriter(std::filesystem::path folder, RecordSchema schema, RecordWriterOptions options = {});
  ~RecordWriter();

  // One value per field of the schema: ConversionSample has the form. Throws ArgumentError on one that does not fit,
  // SystemError where the disk is full.
  void add(ConversionSample sample);
  void finish();

 private:
  struct Writing;
  void start();

  std::filesystem::path folder_;
  RecordSchema schema_;
  RecordWriterOptions options_;
  std::vector<ConversionSample> first_;  // until enough of them have been seen to decide on compression
  std::size_t first_bytes_ = 0;
  std::unique_ptr<Writing> writing_;
};

}  // namespace leat
