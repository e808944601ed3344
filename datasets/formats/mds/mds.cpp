#include "leat/datasets/formats/mds/mds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/mds/pil_pixels.h"
#include "leat/datasets/io/absolute_path.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/cache_folder.h"
#include "leat/datasets/io/zstd_file.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

bool has_size(const fs::path& file, std::uint64_t bytes) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) == bytes && !error;
}

}  // namespace

MdsSource::MdsSource(const fs::path& folder, const MdsOptions& options)
    : folder_(folder), index_(read_mds_index(folder / "index.json")) {
  std::size_t samples = 0;
  for (const MdsShard& shard : index_.shards) {
    samples = checked_add(samples, shard.samples);
    shard_ends_.push_back(samples);
  }
  shards_ = std::make_unique<ShardFiles>(
      find_files(options), [this](std::size_t shard) { prepare(shard); },
      [this](std::size_t shard, const FileReader& file) { check(shard, file); });
}

std::vector<std::string> MdsSource::find_files(const MdsOptions& options) {
  std::vector<std::string> files;
  for (const MdsShard& shard : index_.shards) {
    places_.push_back(place_of(shard, options));
    files.push_back(places_.back().raw);
  }
  return files;
}

MdsSource::Place MdsSource::place_of(const MdsShard& shard, const MdsOptions& options) const {
  const fs::path raw = folder_ / shard.raw.name;
  if (!shard.zip || has_size(raw, shard.raw.bytes)) return {raw.string()};
  const auto cache =
      options.cache_folder.empty() ? default_cache_folder() : std::optional(options.cache_folder);
  if (!cache) {
    throw ArgumentError(folder_.string() + ": its shards are compressed; give a folder to inflate them to");
  }
  const fs::path zip = folder_ / shard.zip->name;
  const FileReader file(zip);  // the inflated file belongs to this version of it
  if (file.size() != shard.zip->bytes) {
    throw DataError(file.path(),
                    fmt::format("it has {} bytes, its index says {}", file.size(), shard.zip->bytes));
  }
  const std::string name = fmt::format("{}-{}", shard.raw.name, file.modified_ns());
  return {(*cache / "mds" / cache_key(absolute_path(folder_.string())) / name).string(), zip};
}

void MdsSource::prepare(std::size_t shard) const {
  const Place& place = places_[shard];
  const std::uint64_t bytes = index_.shards[shard].raw.bytes;
  if (!place.zip.empty() && !has_size(place.raw, bytes)) inflate_zstd(place.zip, bytes, place.raw);
}

void MdsSource::check(std::size_t shard, const FileReader& file) const {
  const MdsShard& stated = index_.shards[shard];
  if (file.size() != stated.raw.bytes) {
    throw DataError(file.path(),
                    fmt::format("it has {} bytes, its index says {}", file.size(), stated.raw.bytes));
  }
  std::array<std::byte, 4> count{};
  file.read(0, count);
  const auto samples = ByteReader(count, file.path()).little<std::uint32_t>();
  if (samples != stated.samples) {
    throw DataError(file.path(),
                    fmt::format("it has {} samples, its index says {}", samples, stated.samples));
  }
}

std::size_t MdsSource::size() const {
  return shard_ends_.empty() ? 0 : shard_ends_.back();
}

std::size_t MdsSource::shard_of(std::size_t index) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(shard_ends_, index) - shard_ends_.begin());
}

void MdsSource::read_body(std::size_t shard, std::size_t sample, std::vector<std::byte>& body) const {
  std::array<std::byte, 8> ends{};
  shards_->read(shard, 4 * (1 + sample), ends);
  ByteReader reader(ends, shards_->path(shard), 4 * (1 + sample));
  const std::uint64_t first = reader.little<std::uint32_t>(), last = reader.little<std::uint32_t>();
  const std::uint64_t least = 4 + 4 * (index_.shards[shard].samples + 1);
  if (first < least || last < first) reader.fail(fmt::format("a sample from offset {} to {}", first, last));
  shards_->read(shard, first, last - first, body);
}

void MdsSource::split_body(std::span<const std::byte> body, const std::string& source,
                           const FieldChoice& choice, StoredSample& sample) const {
  ByteReader sizes(body, source), values(body, source);
  for (const MdsColumn& column : index_.columns) {
    if (!column.bytes) values.take(4);
  }
  for (const MdsColumn& column : index_.columns) {
    const auto value = values.take(column.bytes ? *column.bytes : sizes.little<std::uint32_t>());
    if (!choice.wants(column.name)) continue;
    if (column.encoding.name == "pkl") {
      values.fail(fmt::format("column '{}' is a pickle (pkl), which can run any code; those are not read",
                              column.name));
    }
    if (column.encoding.kind == Encoding::pixels) {
      add_pil_pixels(column.name, ByteReader(value, source, values.offset() - value.size()), sample);
    } else {
      append_bytes(sample.add(column.name, column.encoding).memory(), value);
    }
  }
  if (!values.at_end()) values.fail(fmt::format("{} bytes belong to no column", values.remaining()));
}

void MdsSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  thread_local std::vector<std::byte> body;
  const std::size_t shard = shard_of(index);
  read_body(shard, index - (shard == 0 ? 0 : shard_ends_[shard - 1]), body);
  split_body(body, describe(index), choice, sample);
}

std::string MdsSource::describe(std::size_t index) const {
  check_index(index);
  const std::size_t shard = shard_of(index);
  return fmt::format("{}, sample {}", (folder_ / index_.shards[shard].raw.name).string(),
                     index - (shard == 0 ? 0 : shard_ends_[shard - 1]));
}

}  // namespace leat::detail
