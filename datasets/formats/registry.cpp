#include "leat/datasets/formats/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/arrays/pixel_source.h"
#include "leat/datasets/formats/beton/beton.h"
#include "leat/datasets/formats/csv/manifest.h"
#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/mds/mds.h"
#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/formats/tfrecord/tfrecord.h"
#include "leat/datasets/formats/webdataset/webdataset.h"
#include "leat/datasets/io/absolute_path.h"
#include "leat/datasets/io/index_spec.h"
#include "leat/datasets/io/listing.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

using Names = std::span<const std::string_view>;
using Source = std::shared_ptr<SampleSource>;

DatasetPart part_of(const SourceLocation& location) {
  if (location.split.empty() || location.split == "train") return DatasetPart::train;
  if (location.split == "test") return DatasetPart::test;
  refuse_split(location.split, location.format);
}

Source open_idx(const SourceLocation& location, SpecReader&) {
  return std::make_shared<PixelSource>(read_idx_images(location.where, part_of(location)));
}

Source open_cifar(const SourceLocation& location, SpecReader&) {
  return std::make_shared<PixelSource>(read_cifar(location.where, part_of(location)));
}

Source open_tars(const SourceLocation& location, SpecReader& reader) {
  WebDatasetOptions options{.index = read_index_options(reader, location.on_warning)};
  reader.read("max_member_bytes", options.max_member_bytes);
  std::vector<std::string> shards = find_tars(location.where);
  if (location.is_sequential && are_compressed(shards))
    return std::make_shared<TarStreamSource>(std::move(shards), options);
  return std::make_shared<WebDatasetSource>(std::move(shards), options);
}

Source open_tfrecord(const SourceLocation& location, SpecReader& reader) {
  TfRecordOptions options{.index = read_index_options(reader, location.on_warning)};
  reader.read("max_record_bytes", options.max_record_bytes);
  reader.read("parse_examples", options.parse_examples);
  return std::make_shared<TfRecordSource>(location.where, options);
}

Source open_mds(const SourceLocation& location, SpecReader& reader) {
  std::string cache_folder;
  reader.read("cache_folder", cache_folder);
  return std::make_shared<MdsSource>(location.where, MdsOptions{.cache_folder = cache_folder});
}

Source open_beton(const SourceLocation& location, SpecReader& reader) {
  BetonOptions options;
  reader.read("max_value_bytes", options.max_value_bytes);
  return std::make_shared<BetonSource>(location.where, options);
}

Source open_manifest(const SourceLocation& location, SpecReader& reader) {
  ManifestOptions options;
  std::string delimiter;
  reader.read("delimiter", delimiter);
  if (delimiter.size() > 1) reader.refuse("delimiter", "it is one character");
  if (!delimiter.empty()) options.delimiter = delimiter[0];
  reader.read("path_column", options.path_column);
  reader.read("label_column", options.label_column);
  reader.read("max_file_bytes", options.max_file_bytes);
  return std::make_shared<ManifestSource>(location.where, options);
}

Source open_records(const SourceLocation& location, SpecReader&) {
  return std::make_shared<RecordSource>(location.where);
}

Source open_image_folder(const SourceLocation& location, SpecReader& reader) {
  ImageFolderSourceOptions options;
  reader.read("max_file_bytes", options.max_file_bytes);
  reader.read("allow_empty", options.allow_empty);
  return std::make_shared<ImageFolderSource>(location.where, options);
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool ends(std::string_view name, Names endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

constexpr std::array<std::string_view, 1> kIdx{"idx"}, kWebDataset{"webdataset"}, kTfRecord{"tfrecord"},
    kMds{"mds"}, kBeton{"beton"}, kManifest{"manifest"}, kRecords{"leat"};
constexpr std::array<std::string_view, 2> kCifar{"cifar10", "cifar100"},
    kImageFolder{"imagefolder", "classes"};
constexpr std::array<std::string_view, 4> kTarEndings{".tar", ".tar.gz", ".tgz", ".tar.zst"};
constexpr std::array<std::string_view, 2> kTfRecordEndings{".tfrecord", ".tfrecords"},
    kManifestEndings{".csv", ".tsv"};
constexpr std::array<std::string_view, 1> kBetonEndings{".beton"}, kRecordEndings{".leat"};

// Only the endings of shards make the folder around them a dataset of their format.
constexpr std::array<FormatRow, 9> kFormats{
    {{SourceFormat::idx,
      "idx",
      kIdx,
      {},
      [](std::string_view name) { return holds(name, "images-idx") || holds(name, "images.idx"); },
      true,
      open_idx},
     {SourceFormat::cifar,
      "cifar",
      kCifar,
      {},
      [](std::string_view name) {
        return name == "data_batch_1.bin" || name == "test_batch.bin" || name == "train.bin";
      },
      true,
      open_cifar},
     {SourceFormat::webdataset, "webdataset", kWebDataset, kTarEndings,
      [](std::string_view name) { return ends(name, kTarEndings); }, false, open_tars},
     {SourceFormat::tfrecord, "tfrecord", kTfRecord, kTfRecordEndings,
      [](std::string_view name) { return ends(name, kTfRecordEndings); }, false, open_tfrecord},
     {SourceFormat::mds,
      "mds",
      kMds,
      {},
      [](std::string_view name) { return name == "index.json"; },
      false,
      open_mds},
     {SourceFormat::beton, "beton", kBeton, kBetonEndings, nullptr, false, open_beton},
     {SourceFormat::manifest, "manifest", kManifest, kManifestEndings, nullptr, false, open_manifest},
     {SourceFormat::records, "leat", kRecords, kRecordEndings,
      [](std::string_view name) { return name == kManifestName; }, false, open_records},
     {SourceFormat::image_folder, "imagefolder", kImageFolder, {}, nullptr, false, open_image_folder}}};

std::optional<SourceFormat> by_ending(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (ends(name, row.endings)) return row.format;
  }
  return std::nullopt;
}

std::optional<SourceFormat> by_sign(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (row.is_sign != nullptr && row.is_sign(name)) return row.format;
  }
  return std::nullopt;
}

// The options that are paths.
constexpr std::array<const char*, 2> kFolders{"index_folder", "cache_folder"};

// Returns nullopt if the path is not UTF-8, which JSON cannot hold, or would stand for other files.
std::optional<std::string> spec_of(const SourceLocation& location) {
  const std::string path = absolute_path(location.where);
  // Braces in the working directory's path would become part of the pattern.
  if (holds(location.where, "{") &&
      path.find('{') != path.size() - location.where.size() + location.where.find('{'))
    return std::nullopt;
  const std::string_view scheme =
      location.format == SourceFormat::image_folder ? "classes" : row_of(location.format).schemes.front();
  nlohmann::json object{{"version", 1}, {"source", fmt::format("{}:{}", scheme, path)}};
  if (row_of(location.format).has_splits) object["split"] = location.split.empty() ? "train" : location.split;
  nlohmann::json options = location.options;
  for (const char* const key : kFolders) {
    if (options.contains(key)) options[key] = absolute_path(options[key].get<std::string>());
  }
  if (!options.empty()) object["options"] = options;
  return spec_text(object);
}

}  // namespace

std::span<const FormatRow> formats() {
  return kFormats;
}

const FormatRow& row_of(SourceFormat format) {
  return *std::ranges::find(kFormats, format, &FormatRow::format);
}

std::string_view name_of(SourceFormat format) {
  return row_of(format).name;
}

std::optional<SourceFormat> source_format(std::string_view scheme) {
  for (const FormatRow& row : kFormats) {
    if (std::ranges::find(row.schemes, scheme) != row.schemes.end()) return row.format;
  }
  return std::nullopt;
}

std::optional<SourceFormat> recognize_source(const std::string& where) {
  std::error_code error;
  if (!fs::is_directory(where, error)) return by_ending(where);
  fs::directory_iterator entries(where, error);
  if (error) throw SystemError("listing " + where, error.value());
  return listing([&] {
    std::optional<SourceFormat> found;
    for (const fs::directory_entry& entry : entries) {
      const auto format = by_sign(entry.path().filename().string());
      if (format && (!found || *format < *found)) found = format;  // independent of the order of the listing
    }
    return found;
  });
}

bool is_of_format(const std::string& where, SourceFormat format) {
  const FormatRow& row = row_of(format);
  std::error_code error;
  if (!fs::is_directory(where, error)) return ends(where, row.endings);
  if (row.is_sign == nullptr) return false;
  fs::directory_iterator entries(where, error);
  if (error) throw SystemError("listing " + where, error.value());
  return listing([&] {
    return std::ranges::any_of(entries, [&](const fs::directory_entry& entry) {
      return row.is_sign(entry.path().filename().string());
    });
  });
}

void refuse_split(std::string_view split, SourceFormat format) {
  throw ArgumentError(
      fmt::format("there is no split '{}': {} has the splits train and test", split, name_of(format)));
}

std::shared_ptr<const SampleSource> open_source(const SourceLocation& location) {
  SpecReader options(location.options,
                     location.options_place.empty() ? location.where + ": options" : location.options_place);
  const Source source = row_of(location.format).open(location, options);
  options.finish();
  if (const auto spec = spec_of(location); spec && !source->is_sequential()) source->set_spec(*spec);
  return source;
}

}  // namespace leat::detail
