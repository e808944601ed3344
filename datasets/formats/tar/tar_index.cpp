#include "leat/datasets/formats/tar/tar_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/tar/tar_scanner.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

namespace {

constexpr std::size_t kMaxMembers = 4096;  // of one sample

// Whether the name is "__name__" or "__name__/...".
bool is_meta(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

// Collects the members of one sample at a time.
class SampleCollector {
 public:
  explicit SampleCollector(const std::string& path) : path_(path) {}

  void add(const TarMember& member) {
    const auto name = split_member_name(member.name);
    if (!name) return;
    if (count_ == 0 || name->key != key_) start(name->key);
    const std::string suffix = lower(name->suffix);
    if (std::ranges::find(suffixes_, suffix) != suffixes_.end()) {
      fail(fmt::format("sample '{}' has the suffix '{}' twice", key_, suffix));
    }
    if (++count_ > kMaxMembers) fail(fmt::format("sample '{}' has more than {} members", key_, kMaxMembers));
    append_string(members_, suffix);
    append_little(members_, member.offset);
    append_little(members_, member.size);
    suffixes_.push_back(suffix);
  }

  std::vector<std::byte> finish() {
    flush();
    return std::move(payload_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(path_, problem); }

  static void append_string(std::vector<std::byte>& bytes, std::string_view text) {
    append_little(bytes, static_cast<std::uint32_t>(text.size()));
    append_text(bytes, text);
  }

  void start(std::string_view key) {
    flush();
    key_ = key;
  }

  void flush() {
    if (count_ == 0) return;
    append_string(payload_, key_);
    append_little(payload_, static_cast<std::uint32_t>(count_));
    append_bytes(payload_, members_);
    members_.clear();
    suffixes_.clear();
    count_ = 0;
  }

  std::string path_;
  std::vector<std::byte>
      payload_;  // per sample: key, u32 number of members; each: suffix, u64 offset, u64 size
  std::string key_;
  std::size_t count_ = 0;
  std::vector<std::byte> members_;
  std::vector<std::string> suffixes_;
};

}  // namespace

std::optional<MemberName> split_member_name(std::string_view name) {
  if (is_meta(name)) return std::nullopt;
  const std::size_t slash = name.rfind('/');
  const std::size_t dot = name.find('.', slash == std::string_view::npos ? 0 : slash + 1);
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  // Before the dot, the part after some slash (or the whole) must be nonempty and have no dots.
  const std::string_view key = name.substr(0, dot);
  const std::size_t last_dot = key.rfind('.');
  if (last_dot != std::string_view::npos) {
    const std::size_t behind = key.find('/', last_dot + 1);
    if (behind == std::string_view::npos || behind + 1 == key.size()) return std::nullopt;
  }
  return MemberName{key, name.substr(dot + 1)};
}

std::vector<std::byte> TarIndex::scan(const FileReader& shard) {
  TarFile file(shard);
  return scan(file);
}

std::vector<std::byte> TarIndex::scan(TarInput& shard) {
  TarScanner scanner(shard);
  SampleCollector collector(shard.path());
  while (const auto member = scanner.next()) collector.add(*member);
  return collector.finish();
}

std::uint32_t TarIndex::suffix_number(std::string_view suffix) {
  const auto [found, is_new] =
      suffix_numbers_.try_emplace(std::string(suffix), static_cast<std::uint32_t>(suffixes_.size()));
  if (is_new) suffixes_.emplace_back(suffix);
  return found->second;
}

void TarIndex::add_shard(std::span<const std::byte> payload, std::uint64_t bytes, std::string_view source) {
  TarIndex added = {};
  ByteReader reader(payload, source);
  while (!reader.at_end()) {
    added.samples_.push_back({members_.size() + added.members_.size(), keys_.size() + added.keys_.size()});
    added.keys_ += reader.text(reader.little<std::uint32_t>());
    const auto count = reader.little<std::uint32_t>();
    if (count == 0 || count > kMaxMembers) reader.fail("a sample of no members, or of too many");
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t suffix = suffix_number(reader.text(reader.little<std::uint32_t>()));
      const Member member{reader.little<std::uint64_t>(), reader.little<std::uint64_t>(), suffix};
      if (member.offset > bytes || member.size > bytes - member.offset)
        reader.fail("a member outside of its shard");
      added.members_.push_back(member);
    }
  }
  samples_.insert(samples_.end(), added.samples_.begin(), added.samples_.end());
  members_.insert(members_.end(), added.members_.begin(), added.members_.end());
  keys_ += added.keys_;
  shard_ends_.push_back(samples_.size());
}

std::size_t TarIndex::shard_of(std::size_t sample) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(shard_ends_, sample) - shard_ends_.begin());
}

std::string_view TarIndex::key(std::size_t sample) const {
  const std::uint64_t first = samples_.at(sample).key;
  const std::uint64_t last = sample + 1 < samples_.size() ? samples_[sample + 1].key : keys_.size();
  return std::string_view(keys_).substr(first, last - first);
}

std::span<const TarIndex::Member> TarIndex::members(std::size_t sample) const {
  const std::uint64_t first = samples_.at(sample).first_member;
  const std::uint64_t last =
      sample + 1 < samples_.size() ? samples_[sample + 1].first_member : members_.size();
  return std::span(members_).subspan(first, last - first);
}

}  // namespace leat::detail
