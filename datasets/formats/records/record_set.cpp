#include "leat/datasets/formats/records/record_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

// Returns false if the path cannot be examined. Opening it reports the error.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

Manifest manifest_of_shard(const fs::path& path) {
  const ShardReader reader(path);
  ManifestShard shard{path.filename().string(), reader.size(), reader.footer().file_bytes,
                      reader.footer().raw_bytes, 0};
  return {reader.schema(), {std::move(shard)}};
}

}  // namespace

RecordSet::RecordSet(fs::path path)
    : path_(std::move(path)),
      folder_(is_file(path_) ? path_.parent_path() : path_),
      manifest_(is_file(path_) ? manifest_of_shard(path_) : read_manifest(path_)),
      starts_{0},
      readers_(manifest_.shards.size()) {
  for (const ManifestShard& shard : manifest_.shards) {
    starts_.push_back(checked_add(starts_.back(), shard.samples));
  }
  open_first_ones();
}

RecordSet::~RecordSet() {
  for (const auto& reader : readers_) delete reader.load();
}

void RecordSet::open_first_ones() noexcept {
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    try {
      const ShardReader& reader = open(i);
      if (!decompressor_) decompressor_ = reader.decompressor();
    } catch (const std::exception&) {
      continue;  // reported again when one of its records is read, if it still applies
    }
  }
}

fs::path RecordSet::path_of(std::size_t shard) const {
  return folder_ / manifest_.shards.at(shard).file;
}

const ShardReader& RecordSet::shard(std::size_t shard) const {
  const ShardReader* const reader = readers_.at(shard).load(std::memory_order_acquire);
  return reader != nullptr ? *reader : open(shard);
}

const ShardReader& RecordSet::open(std::size_t shard) const {
  const ManifestShard& listed = manifest_.shards[shard];
  const fs::path path = path_of(shard);
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) {
    throw DataError(path.string(), fmt::format("this shard, of the records {} to {}, is not there",
                                               starts_[shard], starts_[shard + 1] - 1));
  }
  if (!error && bytes != listed.bytes) {
    throw DataError(path.string(),
                    fmt::format("it has {} bytes where the manifest says {}: it was not copied whole", bytes,
                                listed.bytes));
  }
  auto reader = std::make_unique<ShardReader>(path, ShardReader::Options{&manifest_.schema, decompressor_});
  if (reader->size() != listed.samples) {
    throw DataError(path.string(), fmt::format("it has {} records where the manifest says {}", reader->size(),
                                               listed.samples));
  }
  if (is_listed() && reader->header().shard != shard) {
    throw DataError(path.string(), fmt::format("it is shard {} of its set where the manifest has shard {}",
                                               reader->header().shard, shard));
  }
  const ShardReader* published = nullptr;
  if (readers_[shard].compare_exchange_strong(published, reader.get(), std::memory_order_acq_rel)) {
    return *reader.release();
  }
  return *published;  // another thread was faster
}

RecordSet::Place RecordSet::locate(std::size_t index) const {
  if (index >= size()) throw ArgumentError(fmt::format("there is no record {}: there are {}", index, size()));
  const auto behind = std::ranges::upper_bound(starts_, index);
  const auto shard = static_cast<std::size_t>(behind - starts_.begin()) - 1;
  return {shard, index - starts_[shard]};
}

std::string RecordSet::describe(std::size_t index) const {
  const Place place = locate(index);
  return fmt::format("{}, record {}", path_of(place.shard).string(), place.record);
}

bool RecordSet::peek(std::size_t index, std::size_t field, std::span<std::byte> row) const {
  const Place place = locate(index);
  return shard(place.shard).peek(place.record, field, row);
}

// Does not look for a shard that has not been opened yet.
void RecordSet::read_ahead(std::size_t index) const noexcept {
  const Place place = locate(index);
  const ShardReader* const reader = readers_[place.shard].load(std::memory_order_acquire);
  if (reader != nullptr) reader->read_ahead(place.record);
}

RecordView RecordSet::read(std::size_t index, RecordMemory& memory,
                           std::span<const std::span<std::byte>> rows) const {
  const Place place = locate(index);
  const ShardReader& reader = shard(place.shard);
  try {
    return reader.read(place.record, rows, memory);
  } catch (const SystemError&) {
    throw;  // names the path
  } catch (const Error& error) {
    throw DataError(describe(index), error.what());
  }
}

}  // namespace leat::detail
