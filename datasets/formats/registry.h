// The formats that are read: one row for each.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leat/datasets/io/spec_reader.h"
#include "leat/datasets/sample_source.h"
#include "leat/datasets/warning.h"

namespace leat::detail {

// In this order one is chosen where a folder holds the signs of several.
enum class SourceFormat { records, idx, cifar, webdataset, tfrecord, mds, beton, manifest, image_folder };

// What the name of a format is followed by, and how to read it.
struct SourceLocation {
  SourceFormat format = SourceFormat::image_folder;
  std::string where{};         // a path; of some formats, with {000..123} in it
  std::string split{};         // "train" or "test", of formats whose folders hold both; empty: train
  bool is_sequential = false;  // samples will be read in order: compressed tars are taken, too
  nlohmann::json options = nlohmann::json::object();  // docs/dataset-spec.md, "Options of formats"
  std::string options_place{};                        // names the options in errors; empty: the path does
  // Told once per file whose index could not be kept.
  WarningHandler on_warning{};
};

struct FormatRow {
  SourceFormat format;
  std::string_view name;
  std::span<const std::string_view> schemes;  // of URIs
  std::span<const std::string_view> endings;  // of the names of files, and of patterns with braces
  // Whether a file of this name makes a folder one of this format. Null: none does.
  bool (*is_sign)(std::string_view name);
  bool has_splits;  // a folder holds train and test
  std::shared_ptr<SampleSource> (*open)(const SourceLocation& location, SpecReader& options);
};

std::span<const FormatRow> formats();
const FormatRow& row_of(SourceFormat format);

// "idx", "webdataset", "leat"...
std::string_view name_of(SourceFormat format);

// By the scheme of a URI; nullopt for other names.
std::optional<SourceFormat> source_format(std::string_view scheme);

// By the ending of a file's name, or of a pattern's with braces, or by the names in a folder. Nullopt where that tells
// nothing; nothing is opened. Throws SystemError.
std::optional<SourceFormat> recognize_source(const std::string& where);

// Whether the path has an ending, or the folder a sign, of this format. Throws SystemError.
bool is_of_format(const std::string& where, SourceFormat format);

// Opens what is known to be of that format, with a spec() unless it can be read in order alone or its path is not
// UTF-8. Throws what the format's own source throws; ArgumentError on options that the format does not have.
std::shared_ptr<const SampleSource> open_source(const SourceLocation& location);

}  // namespace leat::detail
