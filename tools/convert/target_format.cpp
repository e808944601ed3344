#include "tools/convert/target_format.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "leat/datasets/formats/mds/mds_writer.h"
#include "leat/datasets/formats/records/plan_compression.h"
#include "leat/datasets/formats/records/record_shard_writer.h"
#include "leat/datasets/formats/webdataset/webdataset_writer.h"
#include "tools/common/command_line.h"
#include "tools/convert/progress.h"

namespace leat::tools {

using namespace detail;
namespace {

constexpr std::size_t kPixelAlignment = 64;

// Returns `count` samples from `first` on, recoded by several threads. A bad sample is empty; its error is reported
// when it is converted.
std::vector<std::optional<Record>> recoded(const RecordConversion& source, const Recoder& recoder,
                                           std::size_t first, std::size_t count, int workers) {
  std::vector<std::optional<Record>> samples(count);
  const auto read = [&](std::size_t i) {
    try {
      samples[i] = source.read(first + i);
    } catch (const Error&) {
      samples[i].reset();
    }
  };
  const auto recode = [&](std::size_t i) {
    try {
      if (!source.is_sequential()) read(i);
      if (samples[i]) samples[i] = recoder.apply(std::move(*samples[i]));
    } catch (const Error&) {
      samples[i].reset();
    }
  };
  for (std::size_t i = 0; i < count && source.is_sequential(); ++i) read(i);
  oneapi::tbb::task_arena(workers).execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, recode); });
  return samples;
}

std::vector<Record> first_samples(const RecordConversion& source, const Recoder& recoder, int workers) {
  std::vector<Record> samples;
  std::size_t bytes = 0;
  const std::size_t part = 4 * static_cast<std::size_t>(workers);
  Progress progress("measuring compression", std::min(source.size(), kMeasuredRecords));
  for (std::size_t first = 0; first < source.size() && !enough_to_plan(samples.size(), bytes);
       first += part) {
    const std::size_t count = std::min(part, source.size() - first);
    for (auto& sample : recoded(source, recoder, first, count, workers)) {
      if (!sample || enough_to_plan(samples.size(), bytes)) continue;
      bytes += bytes_of(*sample);
      samples.push_back(std::move(*sample));
    }
    progress.update(samples.size(), bytes);
  }
  return samples;
}

std::string describe(const Compression& compression) {
  if (!compression.on) return "none";
  std::string text = fmt::format("zstd, level {}", compression.level);
  if (!compression.dictionary.empty()) {
    text += fmt::format(", with a dictionary of {} bytes", compression.dictionary.size());
  }
  return text;
}

TargetFormat make_records(const RecordConversion& source, const Recoder& recoder,
                          const ConvertOptions& options) {
  RecordWriterOptions writing;
  writing.zstd = options.zstd;
  writing.zstd_level = options.zstd_level;
  if (recoder.schema().find(Content::rgb)) writing.alignment = kPixelAlignment;
  Compression compression;
  if (writing.zstd != RecordWriterOptions::Zstd::off) {
    compression =
        plan_compression(recoder.schema(), writing, first_samples(source, recoder, options.workers));
  }
  std::string text = describe(compression);
  return {std::make_unique<RecordShardWriter>(
              recoder.schema(), RecordShardWriter::Options{writing.alignment, std::move(compression)}),
          std::move(text)};
}

std::unique_ptr<ShardWriter> make_foreign(const RecordSchema& schema, const ConvertOptions& options) {
  if (options.to == Target::webdataset) return std::make_unique<WebDatasetShardWriter>(schema);
  return std::make_unique<MdsShardWriter>(schema, options.shard_bytes);
}

TargetFormat make_any(const RecordConversion& source, const Recoder& recoder, const ConvertOptions& options) {
  if (options.to == Target::leat) return make_records(source, recoder, options);
  TargetFormat target;
  target.format = make_foreign(recoder.schema(), options);
  target.compression = "none";
  return target;
}

void check_shard_size(const ShardWriter& format, const ConvertOptions& options) {
  if (options.shard_bytes <= format.max_shard_bytes()) return;
  throw UsageError(fmt::format("--shard-size: the format's shards have at most {} bytes, not {}",
                               format.max_shard_bytes(), options.shard_bytes));
}

}  // namespace

TargetFormat make_target(const RecordConversion& source, const Recoder& recoder,
                         const ConvertOptions& options) {
  try {
    TargetFormat target = make_any(source, recoder, options);
    check_shard_size(*target.format, options);
    return target;
  } catch (const ArgumentError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace leat::tools
