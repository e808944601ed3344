// The header, index and footer of a shard file as bytes. docs/record-format.md states the layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace leat::detail {

inline constexpr std::size_t kHeaderBytes = 64, kFooterBytes = 64, kEntryBytes = 24, kEntriesPerBlock = 1024;
inline constexpr std::size_t kMaxSchemaBytes = std::size_t{16} << 20,
                             kMaxDictionaryBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxRecords = std::size_t{1} << 27;  // per shard: an index of 3 GiB

enum class Codec : std::uint32_t { none = 0, zstd = 1 };

struct ShardHeader {
  Codec codec = Codec::none;
  std::uint32_t alignment = 8;  // a power of two from 8 to 4096
  std::uint64_t schema_bytes = 0;
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t shard = 0;
  std::uint64_t head_checksum = 0;  // of schema and dictionary
};

struct IndexEntry {
  std::uint64_t offset = 0;
  std::uint32_t stored = 0;
  std::uint32_t raw = 0;
  std::uint64_t checksum = 0;  // of the stored bytes
};

struct ShardFooter {
  std::uint64_t records = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t index_offset = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t file_bytes = 0;
};

// Throws ArgumentError unless `alignment` is a power of two from 8 to 4096.
void check_alignment(std::size_t alignment);

std::array<std::byte, kHeaderBytes> to_bytes(const ShardHeader& header);
std::array<std::byte, kFooterBytes> to_bytes(const ShardFooter& footer);
std::vector<std::byte> to_bytes(std::span<const IndexEntry> entries);  // all blocks

// Returns the index's length in a file. Throws ArgumentError if it exceeds 64 bits.
std::uint64_t index_bytes(std::uint64_t records);

// Throw DataError that starts with `path` and says which part is invalid.
ShardHeader read_header(std::span<const std::byte, kHeaderBytes> bytes, const std::string& path);
ShardFooter read_footer(std::span<const std::byte, kFooterBytes> bytes, const std::string& path);

// Checks the checksums of the blocks. `bytes` has index_bytes(records) bytes.
std::vector<IndexEntry> read_index(std::span<const std::byte> bytes, std::size_t records,
                                   const std::string& path);

}  // namespace leat::detail
