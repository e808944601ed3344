#include "leat/datasets/formats/webdataset/webdataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/class_names.h"
#include "leat/datasets/formats/shard_pattern.h"
#include "leat/datasets/io/inflater.h"

namespace leat::detail {

namespace {

struct SuffixEncoding {
  std::string_view suffix;
  Encoding::Kind encoding;  // other: a pickle
};

constexpr std::array<SuffixEncoding, 17> kEncodings{{{"jpg", Encoding::jpeg},
                                                     {"jpeg", Encoding::jpeg},
                                                     {"png", Encoding::png},
                                                     {"json", Encoding::json},
                                                     {"txt", Encoding::text},
                                                     {"text", Encoding::text},
                                                     {"transcript", Encoding::text},
                                                     {"cls", Encoding::decimal_integer},
                                                     {"cls2", Encoding::decimal_integer},
                                                     {"id", Encoding::decimal_integer},
                                                     {"index", Encoding::decimal_integer},
                                                     {"inx", Encoding::decimal_integer},
                                                     {"pkl", Encoding::other},
                                                     {"pickle", Encoding::other},
                                                     {"pyd", Encoding::other},
                                                     {"pth", Encoding::other},
                                                     {"pt", Encoding::other}}};

// Returns the member's encoding. Throws DataError on a pickle and on a member that is too large.
Encoding checked_encoding(const std::string& shard, const std::string& suffix, const TarIndex::Member& member,
                          const WebDatasetOptions& options) {
  const auto refuse = [&](const std::string& problem) {
    throw DataError(shard, fmt::format("member .{} at offset {}: {}", suffix, member.offset, problem));
  };
  const Encoding encoding = encoding_of_suffix(suffix);
  if (encoding.kind == Encoding::other) refuse("it is a pickle, which can run any code; those are not read");
  if (member.size > options.max_member_bytes) {
    refuse(fmt::format("it has {} bytes, the limit is {}", member.size, options.max_member_bytes));
  }
  return encoding;
}

std::string description(const std::string& shard, std::string_view key) {
  return fmt::format("{}, sample '{}'", shard, key);
}

constexpr std::array<std::string_view, 4> kTarSuffixes{".tar", ".tar.gz", ".tgz", ".tar.zst"};

std::string_view name_of(std::string_view shard) {
  return shard.substr(shard.rfind('/') + 1);
}

std::string_view stem_of(std::string_view shard) {
  for (const std::string_view suffix : kTarSuffixes) {
    if (shard.ends_with(suffix)) return shard.substr(0, shard.size() - suffix.size());
  }
  return shard;
}

// Throws DataError if shards differ only in their suffixes: they would be read one after the other, though they may
// hold the same samples.
void check_stems(const std::string& where, const std::vector<std::string>& shards) {
  std::unordered_map<std::string_view, std::string_view> by_stem;
  for (const std::string& shard : shards) {
    const auto [other, is_new] = by_stem.try_emplace(stem_of(shard), shard);
    if (is_new || other->second == shard) continue;
    throw DataError(where,
                    fmt::format("'{}' and '{}' may be the same shard twice: move one of them elsewhere, "
                                "or name the shards to read by a pattern, such as 'x-{{000..123}}.tar'",
                                name_of(other->second), name_of(shard)));
  }
}

void require_plain(const FileReader& file) {
  const std::string_view compression = compression_of(file);
  if (compression.empty()) return;
  throw DataError(file.path(),
                  fmt::format("it is compressed as a whole ({}), so samples cannot be read at random: "
                              "convert it, with leat-convert {} DST",
                              compression, file.path()));
}

std::vector<std::string> classes_beside(const std::string& shard) {
  return read_class_names(std::filesystem::path(shard).parent_path());
}

}  // namespace

Encoding encoding_of_suffix(std::string_view suffix) {
  const std::string_view last = suffix.substr(suffix.rfind('.') + 1);
  for (const SuffixEncoding& known : kEncodings) {
    if (known.suffix == last) return known.encoding;
  }
  return Encoding::bytes;
}

WebDatasetSource::WebDatasetSource(const std::string& where, WebDatasetOptions options)
    : WebDatasetSource(find_tars(where), std::move(options)) {}

WebDatasetSource::WebDatasetSource(std::vector<std::string> shards, WebDatasetOptions options)
    : options_(std::move(options)),
      shards_(std::move(shards), {}, [this](std::size_t shard, const FileReader& file) {
        if (file.size() == shard_bytes_.at(shard)) return;
        throw DataError(file.path(), fmt::format("it had {} bytes when it was indexed, and has {} now",
                                                 shard_bytes_[shard], file.size()));
      }) {
  const IndexCache cache("tar1", options_.index);
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
    const FileReader file(shards_.path(shard));
    shard_bytes_.push_back(file.size());
    cache.use(
        file,
        [&] {
          require_plain(file);
          return TarIndex::scan(file);
        },
        [&](std::span<const std::byte> payload) { index_.add_shard(payload, file.size(), file.path()); });
  }
}

void WebDatasetSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  const std::size_t shard = index_.shard_of(index);
  for (const TarIndex::Member& member : index_.members(index)) {
    if (choice.wants(index_.suffix(member))) read_member(shard, member, sample);
  }
}

void WebDatasetSource::read_ahead(std::size_t index, const FieldChoice& choice) const noexcept {
  const std::size_t shard = index_.shard_of(index);
  for (const TarIndex::Member& member : index_.members(index)) {
    if (choice.wants(index_.suffix(member))) shards_.read_ahead(shard, member.offset, member.size);
  }
}

void WebDatasetSource::read_member(std::size_t shard, const TarIndex::Member& member,
                                   StoredSample& sample) const {
  const std::string& suffix = index_.suffix(member);
  const Encoding encoding = checked_encoding(shards_.path(shard), suffix, member, options_);
  shards_.read(shard, member.offset, member.size, sample.add(suffix, encoding).memory());
}

std::vector<std::string> WebDatasetSource::classes() const {
  return size() == 0 ? std::vector<std::string>() : classes_beside(shards_.path(0));
}

std::string WebDatasetSource::describe(std::size_t index) const {
  check_index(index);
  return description(shards_.path(index_.shard_of(index)), index_.key(index));
}

std::vector<std::string> find_tars(const std::string& where) {
  std::vector<std::string> shards = find_shards(where, {kTarSuffixes.begin(), kTarSuffixes.end()});
  check_stems(where, shards);
  return shards;
}

bool are_compressed(const std::vector<std::string>& shards) {
  return std::ranges::any_of(
      shards, [](const std::string& shard) { return !compression_of(FileReader(shard)).empty(); });
}

struct TarStreamSource::Stream {
  Stream(std::size_t number, const std::string& path) : shard(number), file(path), archive(file) {}

  std::size_t shard;
  FileReader file;
  TarStream archive;  // refers to the file
};

TarStreamSource::TarStreamSource(std::vector<std::string> shards, WebDatasetOptions options)
    : options_(std::move(options)), shards_(std::move(shards)) {
  const IndexCache cache("tarstream1", options_.index);
  for (const std::string& shard : shards_) {
    const FileReader file(shard);
    // The archive's size is unknown before the archive is read, and indexes do not hold it. Reading reports a wrong
    // index.
    constexpr std::uint64_t kAny = std::uint64_t{1} << 62;
    cache.use(
        file,
        [&] {
          TarStream archive(file);
          std::vector<std::byte> payload = TarIndex::scan(archive);
          archive.finish();
          return payload;
        },
        [&](std::span<const std::byte> payload) { index_.add_shard(payload, kAny, file.path()); });
  }
}

TarStreamSource::~TarStreamSource() = default;

void TarStreamSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  const std::size_t shard = index_.shard_of(index);
  const std::scoped_lock lock(mutex_);
  for (const TarIndex::Member& member : index_.members(index)) {
    const std::string& suffix = index_.suffix(member);
    if (!choice.wants(suffix)) continue;
    const Encoding encoding = checked_encoding(shards_[shard], suffix, member, options_);
    if (!stream_ || stream_->shard != shard || stream_->archive.passed() > member.offset)
      stream_ = std::make_unique<Stream>(shard, shards_[shard]);
    std::vector<std::byte>& bytes = sample.add(suffix, encoding).memory();
    bytes.resize(static_cast<std::size_t>(member.size));
    stream_->archive.read(member.offset, bytes);
  }
}

std::vector<std::string> TarStreamSource::classes() const {
  return size() == 0 ? std::vector<std::string>() : classes_beside(shards_[0]);
}

std::string TarStreamSource::describe(std::size_t index) const {
  check_index(index);
  return description(shards_[index_.shard_of(index)], index_.key(index));
}

}  // namespace leat::detail
