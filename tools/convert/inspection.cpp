#include "tools/convert/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "datasets/image/picture_decoder.h"
#include "datasets/records/record_set.h"
#include "datasets/records/verify_records.h"
#include "datasets/shards/plan_compression.h"
#include "tools/common/command_line.h"
#include "tools/convert/progress.h"
#include "tools/convert/sources.h"

namespace leat::tools {
namespace {

constexpr std::size_t kBarWidth = 40;

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1U << 10) return fmt::format("{} B", bytes);
  if (bytes < 1U << 20) return fmt::format("{:g} KiB", double(bytes) / double(1U << 10));
  return fmt::format("{:g} MiB", double(bytes) / double(1U << 20));
}

std::string schema_text(const RecordSchema& schema) {
  std::string text;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Field& field = schema.fields()[i];
    text += fmt::format("  {:<16} {:<8} {:<5} {}", field.name, name_of(schema.content(i)),
                        name_of(field.dtype), to_string(field.shape));
    text += field.is_ragged() ? fmt::format(", 0 to {} of them\n", *field.max_length) : "\n";
  }
  if (!schema.classes().empty()) text += fmt::format("  {} classes\n", schema.classes().size());
  return text;
}

std::string sizes_text(std::vector<std::uint64_t> sizes) {
  if (sizes.empty()) return "no samples\n";
  std::ranges::sort(sizes);
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  return fmt::format("bytes per sample: least {}, median {}, mean {}, most {}\n{}", sizes.front(),
                     sizes[sizes.size() / 2], sum / sizes.size(), sizes.back(), size_histogram(sizes));
}

std::string shards_text(const RecordSet& set) {
  std::uint64_t bytes = 0, raw = 0;
  for (const ManifestShard& shard : set.manifest().shards) {
    bytes += shard.bytes;
    raw += shard.raw_bytes;
  }
  std::string text = fmt::format("{} samples in {} shards, {} bytes, {} before compression\n", set.size(),
                                 set.manifest().shards.size(), bytes, raw);
  if (set.manifest().shards.empty()) return text;
  const ShardHeader& header = set.shard(0).header();
  return text + fmt::format("codec {}, dictionary of {} bytes, records aligned to {} bytes\n",
                            header.codec == Codec::zstd ? "zstd" : "none", header.dictionary_bytes,
                            header.alignment);
}

std::string inspect_records(const std::filesystem::path& path) {
  const RecordSet set(path);
  std::vector<std::uint64_t> sizes;
  for (std::size_t shard = 0; shard < set.manifest().shards.size(); ++shard) {
    const ShardReader& reader = set.shard(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) sizes.push_back(reader.entry(i).stored);
  }
  return fmt::format("leat records, version 1\n{}fields:\n{}{}", shards_text(set), schema_text(set.schema()),
                     sizes_text(std::move(sizes)));
}

std::size_t verify_leat(const std::filesystem::path& path) {
  const RecordSet set(path);
  Progress progress("verifying", set.size());
  std::size_t count = 0;
  for (const BadRecords& bad : verify_records(path, [&](std::size_t done) { progress.update(done, 0); })) {
    if (bad.count <= 1) {
      fmt::print("sample {}: {}: {}\n", bad.first, bad.source, bad.reason);
    } else {
      fmt::print("samples {} to {}: {}: {}\n", bad.first, bad.first + bad.count - 1, bad.source, bad.reason);
    }
    count += std::max<std::size_t>(1, bad.count);
  }
  fmt::print("{} samples, {} bad\n", set.size(), count);
  return count;
}

// Decodes it whole, so that damage anywhere in it shows.
void check_picture(PictureDecoder& decoder, const std::vector<std::byte>& file) {
  decoder.read_header(file);
  decoder.decode();
}

std::size_t verify_source(const ConversionSource& source) {
  PictureDecoder decoder;
  Progress progress("verifying", source.size());
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  const auto image = source.schema().find(Content::jpeg);
  for (std::size_t i = 0; i < source.size(); ++i) {
    try {
      const ConversionSample sample = source.read(i);
      bytes += bytes_of(sample);
      if (image) check_picture(decoder, sample.fields[*image]);
    } catch (const Error& error) {
      fmt::print("sample {}: {}: {}\n", i, source.describe(i), error.what());
      ++count;
    }
    progress.update(i + 1, bytes);
  }
  fmt::print("{} samples, {} bad\n", source.size(), count);
  return count;
}

}  // namespace

std::string size_histogram(std::span<const std::uint64_t> sizes) {
  std::map<int, std::size_t> counts;  // by the bits of the size
  for (const std::uint64_t size : sizes) ++counts[static_cast<int>(std::bit_width(size))];
  std::size_t most = 1;
  for (const auto& [bits, count] : counts) most = std::max(most, count);
  std::string text;
  for (const auto& [bits, count] : counts) {
    const std::uint64_t low = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    const std::size_t bar = (count * kBarWidth + most - 1) / most;
    text += fmt::format("  from {:>8}  {:<40} {}\n", size_text(low), std::string(bar, '#'), count);
  }
  return text;
}

std::string inspect(const std::string& uri, DatasetPart part) {
  const SourceAddress address = find_source(uri);
  const auto source = open_source(address, part);
  if (address.kind == SourceAddress::Kind::records) return inspect_records(address.path);
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < source->size(); ++i) sizes.push_back(bytes_of(source->read(i)));
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  return fmt::format("{}\n{} samples, {} bytes\nfields:\n{}{}", describe(address), source->size(), sum,
                     schema_text(source->schema()), sizes_text(std::move(sizes)));
}

std::size_t verify(const std::string& uri, DatasetPart part) {
  const SourceAddress address = find_source(uri);
  const auto source = open_source(address, part);
  return address.kind == SourceAddress::Kind::records ? verify_leat(address.path) : verify_source(*source);
}

}  // namespace leat::tools
