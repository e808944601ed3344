#include "leat/datasets/formats/shard_set_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

ShardSetWriter::ShardSetWriter(std::filesystem::path folder, const ShardWriter& format,
                               std::uint64_t shard_bytes, std::vector<ShardSummary> done, OnShard on_shard)
    : folder_(std::move(folder)),
      format_(format),
      shard_bytes_(shard_bytes),
      done_(std::move(done)),
      on_shard_(std::move(on_shard)) {
  if (shard_bytes == 0 || shard_bytes > format.max_shard_bytes()) {
    throw ArgumentError(
        fmt::format("shards of {} bytes: the format takes 1 to {}", shard_bytes, format.max_shard_bytes()));
  }
}

void ShardSetWriter::add(EncodedSample sample) {
  if (builder_ && builder_->bytes_with(sample) > shard_bytes_) end_shard();
  if (!builder_) begin_shard();
  try {
    add_to_shard(std::move(sample));
  } catch (const ArgumentError&) {
    if (summary_.samples == 0) abandon_shard();
    throw;
  }
}

void ShardSetWriter::add_to_shard(EncodedSample sample) {
  if (const std::uint64_t bytes = builder_->bytes_with(sample); bytes > format_.max_shard_bytes()) {
    throw ArgumentError(fmt::format("a shard of this sample alone has {} bytes; the format's limit is {}",
                                    bytes, format_.max_shard_bytes()));
  }
  const std::vector<std::size_t> lengths = sample.lengths;
  const std::uint64_t raw_bytes = sample.raw_bytes;
  builder_->add(std::move(sample));
  ++summary_.samples;
  summary_.raw_bytes += raw_bytes;
  summary_.max_lengths.resize(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    summary_.max_lengths[i] = std::max(summary_.max_lengths[i], lengths[i]);
  }
}

void ShardSetWriter::abandon_shard() {
  builder_.reset();
  file_.reset();
}

void ShardSetWriter::begin_shard() {
  summary_ = {};
  summary_.file = format_.shard_name(done_.size());
  file_ = std::make_unique<DurableFile>(folder_ / summary_.file);
  builder_ = format_.begin(done_.size(), *file_);
}

void ShardSetWriter::end_shard() {
  builder_->finish();
  builder_.reset();
  summary_.bytes = file_->size();
  summary_.checksum = file_->checksum();
  file_->commit();
  file_.reset();
  done_.push_back(summary_);
  if (on_shard_) on_shard_(done_);
}

void ShardSetWriter::finish() {
  if (builder_) end_shard();
  format_.write_index(folder_, done_);
}

}  // namespace leat::detail
