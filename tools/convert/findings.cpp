#include "tools/convert/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tools/convert/chart.h"
#include "tools/convert/json_output.h"

namespace leat::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostClasses = 20;  // greatest number of classes named in a text

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

struct SizeFigures {
  std::uint64_t least, median, mean, most;
};

// Returns the figures of at least one size.
SizeFigures figures_of(std::vector<std::uint64_t> sizes) {
  std::ranges::sort(sizes);
  const std::uint64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  return {sizes.front(), sizes[sizes.size() / 2], sum / sizes.size(), sizes.back()};
}

std::string sizes_text(const std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) return "no samples\n";
  const SizeFigures figures = figures_of(sizes);
  return fmt::format("bytes per sample: least {}, median {}, mean {}, most {}\n{}", figures.least,
                     figures.median, figures.mean, figures.most, size_histogram(sizes));
}

std::string_view codec_of(const ShardHeader& header) {
  return header.codec == Codec::zstd ? "zstd" : "none";
}

std::string head_text(const Inspection& inspection) {
  if (!inspection.records)
    return fmt::format("{}\n{} samples, {} bytes\n", inspection.format, inspection.samples, inspection.bytes);
  const RecordFigures& records = *inspection.records;
  std::string text =
      fmt::format("{}, version 1\n{} samples in {} shards, {} bytes, {} before compression\n",
                  inspection.format, inspection.samples, records.shards, inspection.bytes, records.raw_bytes);
  if (!records.header) return text;
  return text + fmt::format("codec {}, dictionary of {} bytes, records aligned to {} bytes\n",
                            codec_of(*records.header), records.header->dictionary_bytes,
                            records.header->alignment);
}

ordered_json fields_json(const RecordSchema& schema) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const Field& field = schema.fields()[i];
    ordered_json shape = ordered_json::array();
    for (const auto extent : field.shape) shape.push_back(extent);
    list.push_back({{"name", field.name},
                    {"content", name_of(schema.content(i))},
                    {"dtype", name_of(field.dtype)},
                    {"shape", std::move(shape)},
                    {"max_length", field.max_length ? ordered_json(*field.max_length) : ordered_json()}});
  }
  return list;
}

ordered_json sizes_json(const std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) return {};
  const SizeFigures figures = figures_of(sizes);
  return {{"min", figures.least}, {"median", figures.median}, {"mean", figures.mean}, {"max", figures.most}};
}

ordered_json records_json(const std::optional<RecordFigures>& records) {
  if (!records) return {};
  ordered_json json{{"shards", records->shards}, {"raw_bytes", records->raw_bytes}};
  if (records->header) {
    json["codec"] = codec_of(*records->header);
    json["dictionary_bytes"] = records->header->dictionary_bytes;
    json["alignment"] = records->header->alignment;
  }
  return json;
}

ordered_json labels_json(const std::map<std::int64_t, std::size_t>& labels) {
  ordered_json json = ordered_json::object();
  for (const auto& [label, count] : labels) json[std::to_string(label)] = count;
  return json;
}

}  // namespace

std::size_t Verification::bad_samples() const {
  std::size_t sum = 0;
  for (const BadRange& each : bad) sum += std::max<std::size_t>(1, each.count);
  return sum;
}

std::string to_text(const Inspection& inspection) {
  std::string text =
      head_text(inspection) + "fields:\n" + schema_text(inspection.schema) + sizes_text(inspection.sizes);
  if (!inspection.labels.empty()) text += label_histogram(inspection.labels, inspection.schema.classes());
  if (inspection.unreadable != 0)
    text += fmt::format("{} samples cannot be read: verify lists them\n", inspection.unreadable);
  return text;
}

std::string to_text(const BadRange& bad) {
  if (bad.count <= 1) return fmt::format("sample {}: {}: {}\n", bad.first, bad.source, bad.reason);
  return fmt::format("samples {} to {}: {}: {}\n", bad.first, bad.first + bad.count - 1, bad.source,
                     bad.reason);
}

std::string to_text(const Verification& verification) {
  std::string text = fmt::format("{} samples, {} bad\n", verification.samples, verification.bad_samples());
  for (const std::string& warning : verification.warnings) text += warning + '\n';
  return text;
}

std::string to_json(const std::string& uri, std::span<const Inspection> inspections) {
  ordered_json sets = ordered_json::array();
  for (const Inspection& each : inspections) {
    sets.push_back({{"split", split_json(each.split)},
                    {"format", each.format},
                    {"samples", each.samples},
                    {"bytes", each.bytes},
                    {"unreadable", each.unreadable},
                    {"fields", fields_json(each.schema)},
                    {"classes", each.schema.classes()},
                    {"bytes_per_sample", sizes_json(each.sizes)},
                    {"labels", labels_json(each.labels)},
                    {"records", records_json(each.records)}});
  }
  return json_text({{"command", "inspect"}, {"data", uri}, {"sets", std::move(sets)}});
}

std::string to_json(const std::string& uri, std::span<const Verification> verifications) {
  ordered_json sets = ordered_json::array();
  std::size_t sum = 0;
  for (const Verification& each : verifications) {
    ordered_json bad = ordered_json::array();
    for (const BadRange& range : each.bad) {
      bad.push_back({{"first", range.first},
                     {"count", std::max<std::size_t>(1, range.count)},
                     {"source", range.source},
                     {"reason", range.reason}});
    }
    sum += each.bad_samples();
    sets.push_back({{"split", split_json(each.split)},
                    {"samples", each.samples},
                    {"bad_samples", each.bad_samples()},
                    {"bad", std::move(bad)},
                    {"warnings", each.warnings}});
  }
  return json_text({{"command", "verify"}, {"data", uri}, {"bad_samples", sum}, {"sets", std::move(sets)}});
}

}  // namespace leat::tools
