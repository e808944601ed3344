#include "tools/convert/inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "datasets/image/picture_decoder.h"
#include "datasets/image/png_encoder.h"
#include "datasets/records/record_set.h"
#include "datasets/records/verify_records.h"
#include "datasets/shards/durable_file.h"
#include "datasets/shards/plan_compression.h"
#include "tools/common/command_line.h"
#include "tools/common/text_file.h"
#include "tools/convert/chart.h"
#include "tools/convert/contact_sheet.h"
#include "tools/convert/destination.h"
#include "tools/convert/progress.h"
#include "tools/convert/sample_view.h"
#include "tools/convert/sources.h"

namespace leat::tools {
namespace {

constexpr std::size_t kMostClasses = 20;  // that are named

using LabelCounts = std::map<std::int64_t, std::size_t>;

// What was found in the samples.
struct Findings {
  std::vector<std::uint64_t> sizes;
  LabelCounts labels;
  std::size_t bad = 0;
};

std::string classes_text(const std::vector<std::string>& classes) {
  if (classes.empty()) return {};
  const std::size_t shown = std::min(classes.size(), kMostClasses);
  return fmt::format("{} classes: {}{}\n", classes.size(), fmt::join(std::span(classes).first(shown), ", "),
                     shown < classes.size() ? ", ..." : "");
}

std::string schema_text(const RecordSchema& schema) {
  std::string text;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Field& field = schema.fields()[i];
    text += fmt::format("  {:<16} {:<8} {:<5} {}", field.name, name_of(schema.content(i)),
                        name_of(field.dtype), to_string(field.shape));
    text += field.is_ragged() ? fmt::format(", 0 to {} of them\n", *field.max_length) : "\n";
  }
  return text + classes_text(schema.classes());
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

std::string findings_text(const Findings& findings, const std::vector<std::string>& classes) {
  std::string text = sizes_text(findings.sizes);
  if (!findings.labels.empty()) text += label_histogram(findings.labels, classes);
  if (findings.bad != 0) text += fmt::format("{} samples cannot be read: verify lists them\n", findings.bad);
  return text;
}

// Labels that can be had without inflating the record are not checked.
void count_labels(const RecordSet& set, Findings& findings) {
  const auto field = set.schema().find("label");
  if (!field || !set.schema().fields().has_scalar(*field, DType::i64)) return;
  std::int64_t label = 0;
  std::vector<std::span<std::byte>> rows(set.schema().size());
  rows[*field] = std::as_writable_bytes(std::span(&label, 1));
  for (std::size_t i = 0; i < set.size(); ++i) {
    try {
      if (!set.peek(i, *field, rows[*field])) set.read(i, rows);
      ++findings.labels[label];
    } catch (const DataError&) {
      ++findings.bad;
    }
  }
}

std::string inspect_records(const std::filesystem::path& path) {
  const RecordSet set(path);
  Findings findings;
  for (std::size_t shard = 0; shard < set.manifest().shards.size(); ++shard) {
    const ShardReader& reader = set.shard(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) findings.sizes.push_back(reader.entry(i).stored);
  }
  count_labels(set, findings);
  return fmt::format("leat records, version 1\n{}fields:\n{}{}", shards_text(set), schema_text(set.schema()),
                     findings_text(findings, set.schema().classes()));
}

std::string inspect_source(const ConversionSource& source, const SourceAddress& address) {
  const SampleView view(source.schema());
  Findings findings;
  for (std::size_t i = 0; i < source.size(); ++i) {
    try {
      const ConversionSample sample = source.read(i);
      findings.sizes.push_back(bytes_of(sample));
      if (const auto label = view.label(sample)) ++findings.labels[*label];
    } catch (const Error&) {
      ++findings.bad;
    }
  }
  const std::uint64_t sum = std::accumulate(findings.sizes.begin(), findings.sizes.end(), std::uint64_t{0});
  return fmt::format("{}\n{} samples, {} bytes\nfields:\n{}{}", describe(address), source.size(), sum,
                     schema_text(source.schema()), findings_text(findings, source.schema().classes()));
}

void write_contact_sheet(const ConversionSource& source, const InspectOptions& options) {
  const Image sheet = contact_sheet(source, options.samples);
  const std::vector<std::byte> png = encode_png(sheet.view());
  write_durably(options.contact_sheet, {reinterpret_cast<const char*>(png.data()), png.size()});
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

std::string inspect(const InspectOptions& options) {
  if (!options.contact_sheet.empty()) {
    check_can_write(options.contact_sheet);
    require_outside(options.contact_sheet, options.uri);
  }
  const SourceAddress address = find_source(options.uri);
  const auto source = open_source(address, options.part);
  std::string text = address.kind == SourceAddress::Kind::records ? inspect_records(address.path)
                                                                  : inspect_source(*source, address);
  if (!options.contact_sheet.empty()) write_contact_sheet(*source, options);
  return text;
}

std::size_t verify(const std::string& uri, DatasetPart part) {
  const SourceAddress address = find_source(uri);
  const auto source = open_source(address, part);
  return address.kind == SourceAddress::Kind::records ? verify_leat(address.path) : verify_source(*source);
}

}  // namespace leat::tools
