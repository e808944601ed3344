#include "datasets/formats/webdataset.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "datasets/formats/shard_pattern.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

struct SuffixEncoding {
  std::string_view suffix;
  std::string_view encoding;  // empty: a pickle
};

constexpr std::array<SuffixEncoding, 17> kEncodings{{{"jpg", "jpeg"},
                                                     {"jpeg", "jpeg"},
                                                     {"png", "png"},
                                                     {"json", "json"},
                                                     {"txt", "str"},
                                                     {"text", "str"},
                                                     {"transcript", "str"},
                                                     {"cls", "str_int"},
                                                     {"cls2", "str_int"},
                                                     {"id", "str_int"},
                                                     {"index", "str_int"},
                                                     {"inx", "str_int"},
                                                     {"pkl", ""},
                                                     {"pickle", ""},
                                                     {"pyd", ""},
                                                     {"pth", ""},
                                                     {"pt", ""}}};

}  // namespace

std::string_view encoding_of_suffix(std::string_view suffix) noexcept {
  const std::string_view last = suffix.substr(suffix.rfind('.') + 1);
  for (const SuffixEncoding& known : kEncodings) {
    if (known.suffix == last) return known.encoding;
  }
  return "bytes";
}

WebDatasetSource::WebDatasetSource(const std::string& where, WebDatasetOptions options)
    : WebDatasetSource(find_shards(where, {".tar"}), std::move(options)) {}

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
        file, [&] { return TarIndex::scan(file); },
        [&](std::span<const std::byte> payload) { index_.add_shard(payload, file.size(), file.path()); });
  }
}

void WebDatasetSource::read(std::size_t index, const FieldChoice& choice, RawSample& sample) const {
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
                                   RawSample& sample) const {
  const std::string& suffix = index_.suffix(member);
  const auto refuse = [&](const std::string& problem) {
    throw DataError(shards_.path(shard),
                    fmt::format("member .{} at offset {}: {}", suffix, member.offset, problem));
  };
  const std::string_view encoding = encoding_of_suffix(suffix);
  if (encoding.empty()) refuse("it is a pickle, which can run any code; those are not read");
  if (member.size > options_.max_member_bytes) {
    refuse(fmt::format("it has {} bytes, the limit is {}", member.size, options_.max_member_bytes));
  }
  shards_.read(shard, member.offset, member.size, sample.add(suffix, encoding).bytes);
}

std::string WebDatasetSource::describe(std::size_t index) const {
  check_index(index);
  return fmt::format("{}, sample '{}'", shards_.path(index_.shard_of(index)), index_.key(index));
}

}  // namespace leat
