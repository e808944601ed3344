#include "tools/convert/target_format.h"

#include <fmt/format.h>

#include <utility>

#include "datasets/shards/mds_format.h"
#include "datasets/shards/plan_compression.h"
#include "datasets/shards/record_format.h"
#include "datasets/shards/webdataset_format.h"
#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

constexpr std::size_t kPixelAlignment = 64;

// Bad ones are left out here; whoever converts them reports them.
std::vector<ConversionSample> first_samples(const ConversionSource& source, const Recoder& recoder) {
  std::vector<ConversionSample> samples;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.size() && !enough_to_plan(samples.size(), bytes); ++i) {
    try {
      samples.push_back(recoder.apply(source.read(i)));
      bytes += bytes_of(samples.back());
    } catch (const Error&) {
      continue;
    }
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

TargetFormat make_records(const ConversionSource& source, const Recoder& recoder,
                          const ConvertOptions& options) {
  RecordWriterOptions writing;
  writing.zstd = options.zstd;
  writing.zstd_level = options.zstd_level;
  if (recoder.schema().find(Content::rgb)) writing.alignment = kPixelAlignment;
  Compression compression;
  if (writing.zstd != RecordWriterOptions::Zstd::off) {
    compression = plan_compression(recoder.schema(), writing, first_samples(source, recoder));
  }
  std::string text = describe(compression);
  return {std::make_unique<RecordFormat>(recoder.schema(),
                                         RecordFormat::Options{writing.alignment, std::move(compression)}),
          std::move(text)};
}

std::unique_ptr<ShardFormat> make_foreign(const RecordSchema& schema, const ConvertOptions& options) {
  if (options.to == Target::webdataset) return std::make_unique<WebDatasetFormat>(schema);
  return std::make_unique<MdsFormat>(schema, options.shard_bytes);
}

TargetFormat make_any(const ConversionSource& source, const Recoder& recoder, const ConvertOptions& options) {
  if (options.to == Target::leat) return make_records(source, recoder, options);
  TargetFormat target;
  target.format = make_foreign(recoder.schema(), options);
  target.compression = "none";
  return target;
}

void check_shard_size(const ShardFormat& format, const ConvertOptions& options) {
  if (options.shard_bytes <= format.max_shard_bytes()) return;
  throw UsageError(fmt::format("--shard-size: the format's shards have at most {} bytes, not {}",
                               format.max_shard_bytes(), options.shard_bytes));
}

}  // namespace

TargetFormat make_target(const ConversionSource& source, const Recoder& recoder,
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
