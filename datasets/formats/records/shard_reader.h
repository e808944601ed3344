// Reads the records of one shard.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/formats/records/body_layout.h"
#include "leat/datasets/formats/records/record_codec.h"
#include "leat/datasets/formats/records/shard_parts.h"
#include "leat/datasets/io/descriptor_share.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/record_schema.h"

namespace leat::detail {

// The memory into which records are read. It is kept from one record to the next.
struct RecordMemory {
  std::vector<std::byte> body;
  std::vector<std::byte> packed;
  std::array<FieldPlace, Schema::kMaxFields> places;
};

// One record, valid until its memory is used again.
struct RecordView {
  std::span<const std::byte> body;
  std::span<const FieldPlace> places;

  std::span<const std::byte> bytes(std::size_t field) const {
    return body.subspan(places[field].offset, places[field].bytes);
  }
  std::size_t length(std::size_t field) const { return places[field].length; }
};

// Immutable after construction, thread-safe. Memory: 24 bytes for each record. Keeps the file open if the process has a
// DescriptorShare left.
class ShardReader {
 public:
  struct Options {
    // The set's schema. Its greatest lengths then replace the shard's own bounds. Must outlive the reader.
    const RecordSchema* schema = nullptr;
    // Used instead of a new one if it has the same dictionary. Shared, because all shards of a set have the same one.
    std::shared_ptr<const RecordDecompressor> decompressor = nullptr;
  };

  // Reads and checks everything except the records. Throws DataError starting with the path if the file breaks a rule
  // of the format, SystemError if it cannot be read.
  ShardReader(std::filesystem::path path, Options options);
  explicit ShardReader(std::filesystem::path path) : ShardReader(std::move(path), Options()) {}

  std::size_t size() const noexcept { return entries_.size(); }  // records
  const RecordSchema& schema() const noexcept { return *schema_; }
  const ShardHeader& header() const noexcept { return header_; }
  const ShardFooter& footer() const noexcept { return footer_; }
  const IndexEntry& entry(std::size_t record) const { return entries_.at(record); }
  const std::shared_ptr<const RecordDecompressor>& decompressor() const noexcept { return decompressor_; }

  // Reads record `record` (below size()) with one pread, and checks it. `rows` is empty or has one span per field. A
  // span that is not empty belongs to a field of fixed shape, has the field's length, and receives its value. The
  // value is read directly from the file, and is then not in the view, if the field precedes all ragged fields of a
  // record that is not compressed. Throws Error, which does not name the source, if the record is damaged;
  // SystemError.
  RecordView read(std::size_t record, std::span<const std::span<std::byte>> rows, RecordMemory& memory) const;

  // Reads one field alone, without verifying the record's checksum. Returns false, and does nothing, if the record is
  // compressed, or if the field is ragged or a ragged field precedes it. Throws SystemError.
  bool peek(std::size_t record, std::size_t field, std::span<std::byte> row) const;

  // Asks the kernel to fetch a record (below size()), without waiting for it. Does nothing if the file is not kept
  // open.
  void read_ahead(std::size_t record) const noexcept;

 private:
  void check_shape(std::uint64_t file_bytes) const;
  void check_entries() const;
  void read_head(const FileReader& file, const RecordSchema* set);
  void take_schema(std::string_view text, const RecordSchema* set);
  void read_parts_of(std::uint64_t offset, std::span<iovec> parts) const;
  void read_stored(const IndexEntry& entry, std::span<const std::span<std::byte>> rows,
                   std::span<std::byte> memory) const;

  std::filesystem::path path_;
  DescriptorShare share_;
  std::unique_ptr<const FileReader> file_;  // null if there is no share: the file is opened for each record
  ShardHeader header_;
  ShardFooter footer_;
  std::unique_ptr<const RecordSchema> own_schema_;  // null: the set's schema is used
  const RecordSchema* schema_ = nullptr;
  std::unique_ptr<const BodyLayout> layout_;
  std::vector<IndexEntry> entries_;
  std::shared_ptr<const RecordDecompressor> decompressor_;
};

}  // namespace leat::detail
