#include "leat/datasets/formats/records/shard_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

namespace {

static_assert(std::endian::native == std::endian::little, "shards are little-endian, and read as they lie");

constexpr std::array<unsigned char, 8> kMagic{0x89, 'L', 'E', 'A', 'T', 0x0d, 0x0a, 0x1a};
constexpr std::array<unsigned char, 8> kEndMagic{'L', 'E', 'A', 'T', 'E', 'N', 'D', '\n'};
constexpr std::uint16_t kVersion = 1;
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::size_t kMinAlignment = 8, kMaxAlignment = 4096;

template <class T>
void put(std::span<std::byte> bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.subspan(at, sizeof value).data(), &value, sizeof value);
}

template <class T>
T take(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.subspan(at, sizeof value).data(), sizeof value);
  return value;
}

bool is_alignment(std::size_t alignment) {
  return std::has_single_bit(alignment) && alignment >= kMinAlignment && alignment <= kMaxAlignment;
}

void check_limits(const ShardHeader& header, const std::string& path) {
  if (!is_alignment(header.alignment)) {
    throw DataError(path, fmt::format("its alignment is {}", header.alignment));
  }
  if (header.schema_bytes > kMaxSchemaBytes || header.dictionary_bytes > kMaxDictionaryBytes) {
    throw DataError(
        path,
        fmt::format("its schema has {} bytes and its dictionary {}; the limits are {} and {}",
                    header.schema_bytes, header.dictionary_bytes, kMaxSchemaBytes, kMaxDictionaryBytes));
  }
  if (header.codec > Codec::zstd || (header.codec == Codec::none && header.dictionary_bytes != 0)) {
    throw DataError(path, fmt::format("its codec {} with a dictionary of {} bytes is not known",
                                      static_cast<std::uint32_t>(header.codec), header.dictionary_bytes));
  }
}

IndexEntry read_entry(std::span<const std::byte> bytes) {
  return {take<std::uint64_t>(bytes, 0), take<std::uint32_t>(bytes, 8), take<std::uint32_t>(bytes, 12),
          take<std::uint64_t>(bytes, 16)};
}

}  // namespace

void check_alignment(std::size_t alignment) {
  if (is_alignment(alignment)) return;
  throw ArgumentError(fmt::format("records are aligned to a power of two from {} to {}, not to {}",
                                  kMinAlignment, kMaxAlignment, alignment));
}

std::array<std::byte, kHeaderBytes> to_bytes(const ShardHeader& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  put(bytes, 0, kMagic);
  put(bytes, 8, kVersion);
  put(bytes, 12, kByteOrder);
  put(bytes, 16, header.codec);
  put(bytes, 20, header.alignment);
  put(bytes, 24, header.schema_bytes);
  put(bytes, 32, header.dictionary_bytes);
  put(bytes, 40, header.shard);
  put(bytes, 48, header.head_checksum);
  put(bytes, 56, xxh3(std::span(bytes).first(56)));
  return bytes;
}

std::array<std::byte, kFooterBytes> to_bytes(const ShardFooter& footer) {
  std::array<std::byte, kFooterBytes> bytes{};
  put(bytes, 0, footer.records);
  put(bytes, 8, footer.data_offset);
  put(bytes, 16, footer.index_offset);
  put(bytes, 24, footer.stored_bytes);
  put(bytes, 32, footer.raw_bytes);
  put(bytes, 40, footer.file_bytes);
  put(bytes, 48, xxh3(std::span(bytes).first(48)));
  put(bytes, 56, kEndMagic);
  return bytes;
}

std::vector<std::byte> to_bytes(std::span<const IndexEntry> entries) {
  std::vector<std::byte> bytes(index_bytes(entries.size()));
  std::size_t at = 0, block = 0;
  for (std::size_t i = 0; i < entries.size(); ++i, at += kEntryBytes) {
    put(bytes, at, entries[i].offset);
    put(bytes, at + 8, entries[i].stored);
    put(bytes, at + 12, entries[i].raw);
    put(bytes, at + 16, entries[i].checksum);
    if ((i + 1) % kEntriesPerBlock != 0 && i + 1 != entries.size()) continue;
    const std::size_t end = at + kEntryBytes;
    put(bytes, end, xxh3(std::span(bytes).subspan(block, end - block)));
    block = end + sizeof(std::uint64_t);
    at += sizeof(std::uint64_t);
  }
  return bytes;
}

std::uint64_t index_bytes(std::uint64_t records) {
  return checked_add(checked_multiply(records, kEntryBytes),
                     checked_multiply(divide_up(records, kEntriesPerBlock), sizeof(std::uint64_t)));
}

ShardHeader read_header(std::span<const std::byte, kHeaderBytes> bytes, const std::string& path) {
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) {
    throw DataError(path, "it does not begin as a shard of leat records does");
  }
  if (take<std::uint32_t>(bytes, 12) != kByteOrder)
    throw DataError(path, "its byte order is not little-endian");
  if (const auto version = take<std::uint16_t>(bytes, 8); version != kVersion) {
    throw DataError(path,
                    fmt::format("it is of version {}; this program reads version {}", version, kVersion));
  }
  if (take<std::uint64_t>(bytes, 56) != xxh3(bytes.first(56))) {
    throw DataError(path, "its header is damaged: the checksum is another");
  }
  ShardHeader header;
  header.codec = take<Codec>(bytes, 16);
  header.alignment = take<std::uint32_t>(bytes, 20);
  header.schema_bytes = take<std::uint64_t>(bytes, 24);
  header.dictionary_bytes = take<std::uint64_t>(bytes, 32);
  header.shard = take<std::uint64_t>(bytes, 40);
  header.head_checksum = take<std::uint64_t>(bytes, 48);
  check_limits(header, path);
  return header;
}

ShardFooter read_footer(std::span<const std::byte, kFooterBytes> bytes, const std::string& path) {
  if (std::memcmp(bytes.data() + 56, kEndMagic.data(), kEndMagic.size()) != 0) {
    throw DataError(path, "it does not end as a shard does: it was cut off, or is still being written");
  }
  if (take<std::uint64_t>(bytes, 48) != xxh3(bytes.first(48))) {
    throw DataError(path, "its footer is damaged: the checksum is another");
  }
  return {take<std::uint64_t>(bytes, 0),  take<std::uint64_t>(bytes, 8),  take<std::uint64_t>(bytes, 16),
          take<std::uint64_t>(bytes, 24), take<std::uint64_t>(bytes, 32), take<std::uint64_t>(bytes, 40)};
}

std::vector<IndexEntry> read_index(std::span<const std::byte> bytes, std::size_t records,
                                   const std::string& path) {
  std::vector<IndexEntry> entries;
  entries.reserve(records);
  while (entries.size() < records) {
    const std::size_t count = std::min(kEntriesPerBlock, records - entries.size());
    const auto block = bytes.first(count * kEntryBytes);
    if (take<std::uint64_t>(bytes, block.size()) != xxh3(block)) {
      throw DataError(
          path, fmt::format("the index block of its records {} to {} is damaged: the checksum is another",
                            entries.size(), entries.size() + count - 1));
    }
    for (std::size_t i = 0; i < count; ++i) entries.push_back(read_entry(block.subspan(i * kEntryBytes)));
    bytes = bytes.subspan(block.size() + sizeof(std::uint64_t));
  }
  return entries;
}

}  // namespace leat::detail
