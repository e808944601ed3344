#include "leat/datasets/formats/records/shard_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/records/schema_json.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

namespace {

std::span<std::byte> room(std::vector<std::byte>& memory, std::size_t bytes) {
  if (memory.size() < bytes) memory.resize(bytes);
  return {memory.data(), bytes};
}

// The pieces of a stored body, from front to back: the rows that the caller gave, and parts of `memory` for the rest.
// There are at most two for each field and one after the last.
class Pieces {
 public:
  void add(std::span<std::byte> piece) {
    if (!piece.empty()) parts_[count_++] = {piece.data(), piece.size()};
  }
  std::span<iovec> parts() { return {parts_.data(), count_}; }

 private:
  std::array<iovec, 2 * Schema::kMaxFields + 1> parts_;
  std::size_t count_ = 0;
};

Pieces cut(std::span<std::byte> memory, std::span<const FieldPlace> leading,
           std::span<const std::span<std::byte>> rows) {
  Pieces pieces;
  std::size_t at = 0;
  for (std::size_t field = 0; field < std::min(leading.size(), rows.size()); ++field) {
    const FieldPlace& place = leading[field];
    if (rows[field].empty() || place.offset + place.bytes > memory.size()) continue;
    pieces.add(memory.subspan(at, place.offset - at));
    pieces.add(rows[field]);
    at = place.offset + place.bytes;
  }
  pieces.add(memory.subspan(at));
  return pieces;
}

}  // namespace

ShardReader::ShardReader(std::filesystem::path path, Options options)
    : path_(std::move(path)), decompressor_(std::move(options.decompressor)) {
  auto file = std::make_unique<const FileReader>(path_);
  try {
    read_head(*file, options.schema);
  } catch (const DataError&) {
    throw;
  } catch (const SystemError&) {
    throw;
  } catch (const Error& error) {
    throw DataError(path_.string(), error.what());
  }
  share_ = DescriptorShare::try_take();
  if (share_) file_ = std::move(file);
}

void ShardReader::read_head(const FileReader& file, const RecordSchema* set) {
  const std::uint64_t file_bytes = file.size();
  if (file_bytes < kHeaderBytes + kFooterBytes) {
    throw DataError(path_.string(), fmt::format("its {} bytes are too few for a shard", file_bytes));
  }
  std::array<std::byte, kHeaderBytes> header;
  file.read(0, header);
  header_ = read_header(header, path_.string());
  std::array<std::byte, kFooterBytes> footer;
  file.read(file_bytes - kFooterBytes, footer);
  footer_ = read_footer(footer, path_.string());
  check_shape(file_bytes);

  std::vector<std::byte> head(header_.schema_bytes + header_.dictionary_bytes);
  file.read(kHeaderBytes, head);
  if (xxh3(head) != header_.head_checksum) throw Error("its schema is damaged: the checksum is another");
  take_schema({reinterpret_cast<const char*>(head.data()), header_.schema_bytes}, set);

  std::vector<std::byte> index(index_bytes(footer_.records));
  file.read(footer_.index_offset, index);
  entries_ = read_index(index, footer_.records, path_.string());
  check_entries();
  head.erase(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(header_.schema_bytes));
  if (!decompressor_ || decompressor_->dictionary() != head) {
    decompressor_ = std::make_shared<RecordDecompressor>(std::move(head));
  }
}

void ShardReader::take_schema(std::string_view text, const RecordSchema* set) {
  auto own =
      std::make_unique<RecordSchema>(read_schema(parse_json_object(text, path_.string()), path_.string()));
  if (set != nullptr && !own->matches(*set))
    throw Error("its schema is not the one that the set's manifest has");
  if (set == nullptr) own_schema_ = std::move(own);
  schema_ = set != nullptr ? set : own_schema_.get();
  layout_ = std::make_unique<BodyLayout>(schema_->fields(), header_.alignment);
}

void ShardReader::check_shape(std::uint64_t file_bytes) const {
  if (footer_.file_bytes != file_bytes) {
    throw Error(fmt::format("it has {} bytes where its footer says {}", file_bytes, footer_.file_bytes));
  }
  if (footer_.records > kMaxRecords) {
    throw Error(fmt::format("it has {} records; the limit is {}", footer_.records, kMaxRecords));
  }
  const std::uint64_t head = kHeaderBytes + header_.schema_bytes + header_.dictionary_bytes;
  const std::uint64_t behind_index =
      checked_add(footer_.index_offset, checked_add(index_bytes(footer_.records), kFooterBytes));
  if (footer_.data_offset != align_up(head, header_.alignment) ||
      footer_.index_offset < footer_.data_offset || footer_.index_offset % sizeof(std::uint64_t) != 0 ||
      behind_index != file_bytes) {
    throw Error("the places of its parts contradict each other");
  }
}

void ShardReader::check_entries() const {
  std::uint64_t end = footer_.data_offset, stored = 0, raw = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const IndexEntry& entry = entries_[i];
    const bool placed = entry.offset % header_.alignment == 0 && entry.offset >= end &&
                        entry.offset <= footer_.index_offset &&
                        entry.stored <= footer_.index_offset - entry.offset;
    const bool sized = entry.stored <= entry.raw && entry.raw <= layout_->max_bytes() &&
                       (header_.codec != Codec::none || entry.stored == entry.raw);
    if (!placed || !sized) {
      throw Error(
          fmt::format("its index contradicts itself: record {} of {} bytes at byte {}, unpacked {} (the "
                      "greatest is {})",
                      i, entry.stored, entry.offset, entry.raw, layout_->max_bytes()));
    }
    end = entry.offset + entry.stored;
    stored += entry.stored;
    raw += entry.raw;
  }
  if (stored != footer_.stored_bytes || raw != footer_.raw_bytes) {
    throw Error("the sizes of its records do not add up to what its footer says");
  }
}

void ShardReader::read_parts_of(std::uint64_t offset, std::span<iovec> parts) const {
  if (file_) return file_->read_parts(offset, parts);
  FileReader(path_).read_parts(offset, parts);
}

bool ShardReader::peek(std::size_t record, std::size_t field, std::span<std::byte> row) const {
  const IndexEntry& entry = entries_.at(record);
  if (entry.stored != entry.raw || field >= layout_->leading().size()) return false;
  const FieldPlace& place = layout_->leading()[field];
  if (place.bytes != row.size() || place.offset + place.bytes > entry.stored) return false;
  iovec part{row.data(), row.size()};
  read_parts_of(entry.offset + place.offset, {&part, 1});
  return true;
}

void ShardReader::read_ahead(std::size_t record) const noexcept {
  if (file_) file_->read_ahead(entries_[record].offset, entries_[record].stored);
}

void ShardReader::read_stored(const IndexEntry& entry, std::span<const std::span<std::byte>> rows,
                              std::span<std::byte> memory) const {
  Pieces pieces = entry.stored == entry.raw ? cut(memory, layout_->leading(), rows) : cut(memory, {}, {});
  Pieces read = pieces;  // read_parts() modifies its argument
  read_parts_of(entry.offset, read.parts());
  thread_local Xxh3Stream checksum;
  checksum.reset();
  for (const iovec& part : pieces.parts()) {
    checksum.update({static_cast<const std::byte*>(part.iov_base), part.iov_len});
  }
  if (checksum.digest() != entry.checksum) throw Error("it is damaged: its checksum is another");
}

RecordView ShardReader::read(std::size_t record, std::span<const std::span<std::byte>> rows,
                             RecordMemory& memory) const {
  const IndexEntry& entry = entries_.at(record);
  const bool packed = entry.stored != entry.raw;
  const std::span<std::byte> stored = room(packed ? memory.packed : memory.body, entry.stored);
  read_stored(entry, rows, stored);
  const std::span<std::byte> body = packed ? room(memory.body, entry.raw) : stored;
  if (packed) decompressor_->decompress(stored, body);
  const std::span<FieldPlace> places(memory.places.data(), schema_->size());
  layout_->find(body, body.size(), places);
  const std::size_t done = packed ? 0 : layout_->leading().size();
  for (std::size_t field = done; field < rows.size(); ++field) {
    if (rows[field].empty()) continue;
    std::ranges::copy(body.subspan(places[field].offset, places[field].bytes), rows[field].begin());
  }
  for (const std::size_t field : layout_->boolean_fields()) {
    const bool apart = field < rows.size() && !rows[field].empty();
    layout_->check_booleans(field,
                            apart ? rows[field] : body.subspan(places[field].offset, places[field].bytes));
  }
  return {body, places};
}

}  // namespace leat::detail
