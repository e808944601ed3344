#include "tools/convert/inspection.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "leat/datasets/base/error_text.h"
#include "leat/datasets/formats/records/plan_compression.h"
#include "leat/datasets/formats/records/record_set.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/io/durable_file.h"
#include "leat/datasets/verify_records.h"
#include "tools/common/command_line.h"
#include "tools/common/text_file.h"
#include "tools/convert/contact_sheet.h"
#include "tools/convert/destination.h"
#include "tools/convert/findings.h"
#include "tools/convert/progress.h"
#include "tools/convert/sample_view.h"
#include "tools/convert/sources.h"

namespace leat::tools {

using namespace detail;

namespace {

// Counts the labels. A label that can be read without decompressing its record is not checked.
void count_labels(const RecordSet& set, Inspection& findings) {
  const auto field = set.schema().find("label");
  if (!field || !set.schema().fields().has_scalar(*field, DType::i64)) return;
  RecordMemory memory;
  std::int64_t label = 0;
  std::vector<std::span<std::byte>> rows(set.schema().size());
  rows[*field] = std::as_writable_bytes(std::span(&label, 1));
  for (std::size_t i = 0; i < set.size(); ++i) {
    try {
      if (!set.peek(i, *field, rows[*field])) set.read(i, memory, rows);
      ++findings.labels[label];
    } catch (const DataError&) {
      ++findings.unreadable;
    }
  }
}

Inspection inspect_records(const std::filesystem::path& path) {
  const RecordSet set(path);
  Inspection findings;
  findings.format = "leat records";
  findings.samples = set.size();
  findings.schema = set.schema();
  RecordFigures figures{.shards = set.manifest().shards.size()};
  for (std::size_t shard = 0; shard < figures.shards; ++shard) {
    const ShardReader& reader = set.shard(shard);
    for (std::size_t i = 0; i < reader.size(); ++i) findings.sizes.push_back(reader.entry(i).stored);
    findings.bytes += set.manifest().shards[shard].bytes;
    figures.raw_bytes += set.manifest().shards[shard].raw_bytes;
  }
  if (figures.shards != 0) figures.header = set.shard(0).header();
  findings.records = figures;
  count_labels(set, findings);
  return findings;
}

Inspection inspect_source(const RecordConversion& source, const SourceLocation& location) {
  const SampleView view(source.schema());
  Inspection findings;
  findings.format = describe(location);
  findings.samples = source.size();
  findings.schema = source.schema();
  for (std::size_t i = 0; i < source.size(); ++i) {
    try {
      const Record sample = source.read(i);
      findings.sizes.push_back(bytes_of(sample));
      if (const auto label = view.label(sample)) ++findings.labels[*label];
    } catch (const Error&) {
      ++findings.unreadable;
    }
  }
  findings.bytes = std::accumulate(findings.sizes.begin(), findings.sizes.end(), std::uint64_t{0});
  return findings;
}

void write_contact_sheet(const RecordConversion& source, const InspectOptions& options) {
  const Image sheet = contact_sheet(source, options.samples);
  const std::vector<std::byte> png = encode_png(sheet.view());
  write_durably(options.contact_sheet, {reinterpret_cast<const char*>(png.data()), png.size()});
}

// Notes a bad sample, and prints it at once unless JSON was asked for.
void note(BadRange bad, bool prints, Verification& verification) {
  if (prints) print_text(to_text(bad));
  verification.bad.push_back(std::move(bad));
}

Verification verify_leat(const std::filesystem::path& path, bool prints) {
  const RecordSet set(path);
  Verification verification{.split = {}, .samples = set.size(), .bad = {}, .warnings = {}};
  Progress progress("verifying", set.size());
  for (const BadRecords& bad : verify_records(path, [&](std::size_t done) { progress.update(done, 0); })) {
    note({bad.first, bad.count, bad.source, bad.reason}, prints, verification);
  }
  return verification;
}

// Decodes the whole image, so that damage anywhere in it is found.
DecodeWarnings check_image(ImageDecoder& decoder, const std::vector<std::byte>& file,
                           const JpegLimits& limits) {
  decoder.read_header(file, limits, true);
  decoder.decode();
  return decoder.warnings();
}

Verification verify_source(const RecordConversion& source, const JpegLimits& limits, bool prints) {
  Verification verification{.split = {}, .samples = source.size(), .bad = {}, .warnings = {}};
  const ImageWarnings warnings;
  ImageDecoder decoder;
  Progress progress("verifying", source.size());
  std::uint64_t bytes = 0;
  const auto image = source.schema().find(Content::jpeg);
  for (std::size_t i = 0; i < source.size(); ++i) {
    try {
      const Record sample = source.read(i);
      bytes += bytes_of(sample);
      if (image) warnings.count(check_image(decoder, sample.fields[*image], limits), i);
    } catch (const Error& error) {
      std::string name = source.describe(i);
      std::string reason(without_source(error.what(), name));
      note({i, 1, std::move(name), std::move(reason)}, prints, verification);
    }
    progress.update(i + 1, bytes);
  }
  verification.warnings = warnings_of(source, warnings);
  return verification;
}

}  // namespace

std::string inspect(const InspectOptions& options) {
  if (!options.contact_sheet.empty()) {
    check_can_write(options.contact_sheet);
    require_outside(options.contact_sheet, options.uri);
  }
  std::vector<Inspection> inspections;
  std::string text;
  for (const NamedSource& each : sources_of(options.uri, options.split)) {
    const auto source = open_source(each.location, {.allow_empty = options.allow_empty});
    Inspection found = each.location.format == SourceFormat::records ? inspect_records(each.location.where)
                                                                     : inspect_source(*source, each.location);
    found.split = each.split;
    if (!each.split.empty()) text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", each.split);
    text += to_text(found);
    if (!options.contact_sheet.empty() && inspections.empty()) write_contact_sheet(*source, options);
    inspections.push_back(std::move(found));
  }
  return options.json ? to_json(options.uri, inspections) : text;
}

std::size_t verify(const InspectOptions& options) {
  std::vector<Verification> verifications;
  std::size_t bad = 0;
  for (const NamedSource& each : sources_of(options.uri, options.split)) {
    const auto source = open_source(each.location, {.allow_empty = options.allow_empty});
    if (!each.split.empty() && !options.json) print_line(each.split + ":");
    Verification found =
        each.location.format == SourceFormat::records
            ? verify_leat(each.location.where, !options.json)
            : verify_source(*source, {.allow_corrupt = options.allow_corrupt}, !options.json);
    found.split = each.split;
    bad += found.bad_samples();
    if (!options.json) print_text(to_text(found));
    verifications.push_back(std::move(found));
  }
  if (options.json) print_text(to_json(options.uri, verifications));
  return bad;
}

}  // namespace leat::tools
