#include "leat/datasets/formats/records/record_source.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

namespace {

Encoding encoding_of_values(const Field& field) {
  return field.shape.empty() && !field.is_ragged() ? Encoding::number_of(field.dtype)
                                                   : Encoding::array_of(field.dtype, field.shape);
}

// Returns the encoding that a field has in all records, except for the shape of a ragged field.
Encoding general_encoding(const RecordSchema& schema, std::size_t field) {
  switch (schema.content(field)) {
    case Content::text:
      return Encoding::text;
    case Content::bytes:
      return Encoding::bytes;
    case Content::jpeg:
      return Encoding::jpeg;
    case Content::rgb: {
      Encoding encoding(Encoding::pixels);
      encoding.shape = schema.fields()[field].shape;
      return encoding;
    }
    case Content::values:
      break;
  }
  return encoding_of_values(schema.fields()[field]);
}

// Lends the sample's memory to the thread for a while, so that the record lies in the sample's own memory.
class LentMemory {
 public:
  LentMemory(std::vector<std::byte>& place, std::vector<std::byte>& memory) : place_(place), memory_(memory) {
    place_.swap(memory_);
  }
  ~LentMemory() { place_.swap(memory_); }
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

 private:
  std::vector<std::byte>& place_;
  std::vector<std::byte>& memory_;
};

// Returns the encoding with the extents that the field <name>_size states. They must match the number of pixels.
Encoding pixels_of(const RecordSchema& schema, std::size_t field, const RecordView& record) {
  constexpr std::uint32_t kMost = 1 << 16;
  const std::size_t extents_field = schema.find(schema.fields()[field].name + "_size").value();
  std::array<std::uint32_t, 2> extents{};
  std::memcpy(extents.data(), record.bytes(extents_field).data(), sizeof extents);
  const auto [height, width] = extents;
  if (height == 0 || width == 0 || height > kMost || width > kMost ||
      std::uint64_t{height} * width != record.length(field)) {
    throw Error(fmt::format("{} x {} is not the size of {} pixels", width, height, record.length(field)));
  }
  return Encoding::pixels_of(height, width, 3);
}

}  // namespace

RecordSource::RecordSource(const std::filesystem::path& path) : set_(path) {
  for (std::size_t field = 0; field < set_.schema().size(); ++field)
    encodings_.push_back(general_encoding(set_.schema(), field));
}

Encoding RecordSource::encoding_of(std::size_t field, const RecordView& record) const {
  const RecordSchema& schema = set_.schema();
  const Field& wanted = schema.fields()[field];
  if (!wanted.is_ragged()) return encodings_[field];
  if (schema.content(field) == Content::rgb) return pixels_of(schema, field, record);
  if (schema.content(field) != Content::values) return encodings_[field];
  Shape shape{record.length(field)};
  shape.insert(shape.end(), wanted.shape.begin(), wanted.shape.end());
  return Encoding::array_of(wanted.dtype, std::move(shape));
}

bool RecordSource::peek(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  constexpr std::size_t kFew = 64;  // bytes: a label, not an image
  if (choice.names() == nullptr || choice.names()->size() != 1) return false;
  const auto field = set_.schema().find(choice.names()->front());
  if (!field) return false;
  const Field& wanted = set_.schema().fields()[*field];
  if (wanted.is_ragged() || wanted.row_bytes() > kFew) return false;
  std::array<std::byte, kFew> bytes;
  const std::span<std::byte> row = std::span(bytes).first(wanted.row_bytes());
  if (!set_.peek(index, *field, row)) return false;
  sample.clear();
  sample.add(wanted.name, encodings_[*field]).memory().assign(row.begin(), row.end());
  return true;
}

void RecordSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  if (peek(index, choice, sample)) return;
  thread_local RecordMemory memory;
  sample.clear();
  const LentMemory body(memory.body, sample.memory());
  try {
    const RecordView record = set_.read(index, memory);
    for (std::size_t field = 0; field < set_.schema().size(); ++field) {
      const std::string& name = set_.schema().fields()[field].name;
      if (choice.wants(name)) sample.add(name, encoding_of(field, record)).view(record.bytes(field));
    }
  } catch (...) {
    sample.clear();
    throw;
  }
}

bool RecordSource::read_into(std::size_t index, std::span<const std::span<std::byte>> rows) const {
  thread_local RecordMemory memory;
  set_.read(index, memory, rows);
  return true;
}

std::optional<std::uint64_t> RecordSource::fingerprint() const {
  Xxh3Stream checksum;
  for (std::size_t shard = 0; shard < set_.manifest().shards.size(); ++shard) {
    const std::string path = set_.path_of(shard).string() + "\n";
    checksum.update(std::as_bytes(std::span(path)));
    checksum.update(std::as_bytes(std::span(&set_.manifest().shards[shard].checksum, 1)));
  }
  if (!set_.is_listed()) {  // nothing states the shard's checksum, but the shard states its records' checksums
    const ShardReader& shard = set_.shard(0);
    for (std::size_t record = 0; record < shard.size(); ++record)
      checksum.update(std::as_bytes(std::span(&shard.entry(record).checksum, 1)));
  }
  return checksum.digest();
}

}  // namespace leat::detail
