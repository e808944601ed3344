// Finds the samples of a tar shard by WebDataset's rules.
//
// A member's name is split at the first dot of its last part: "dir/a.seg.PNG" has the key "dir/a" and the suffix
// "seg.png". A sample is a run of adjacent members with the same key. Members without a suffix, and members called
// "__name__", are skipped. (The regular expression is ^((?:.*/|)[^.]+)[.]([^/]*)$, as in webdataset's tariterators.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leat/datasets/formats/tar/tar_input.h"
#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

struct MemberName {
  std::string_view key;
  std::string_view suffix;
};
std::optional<MemberName> split_member_name(std::string_view name);

// The samples of many shards, in order. Memory: per sample its key and 16 bytes, per member 24 bytes.
class TarIndex {
 public:
  struct Member {
    std::uint64_t offset;  // of the data, in the shard
    std::uint64_t size;
    std::uint32_t suffix;
  };

  // Reads every header of a shard. Throws what TarScanner throws, and DataError if a sample has one suffix twice.
  static std::vector<std::byte> scan(const FileReader& shard);
  static std::vector<std::byte> scan(TarInput& shard);

  // Adds the samples that scan() found in a shard. Throws DataError if the payload is invalid, or if a member does
  // not lie within the shard's `bytes`; then nothing was added.
  void add_shard(std::span<const std::byte> payload, std::uint64_t bytes, std::string_view source);

  std::size_t size() const noexcept { return samples_.size(); }
  std::size_t shard_of(std::size_t sample) const;
  std::string_view key(std::size_t sample) const;
  std::span<const Member> members(std::size_t sample) const;
  const std::string& suffix(const Member& member) const { return suffixes_.at(member.suffix); }

 private:
  struct Sample {
    std::uint64_t first_member;
    std::uint64_t key;  // where it starts in keys_
  };

  std::uint32_t suffix_number(std::string_view suffix);

  std::vector<Sample> samples_;
  std::vector<Member> members_;
  std::string keys_;
  std::vector<std::string> suffixes_;
  std::unordered_map<std::string, std::uint32_t> suffix_numbers_;
  std::vector<std::size_t> shard_ends_;  // sample counts up to and including each shard
};

}  // namespace leat::detail
