// The formats that can be read, one row for each.
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

// If a folder holds the signs of several formats, the first one in this order is chosen.
enum class SourceFormat { records, idx, cifar, webdataset, tfrecord, mds, beton, manifest, image_folder };

// The location of a dataset of a known format, and how to read it.
struct SourceLocation {
  SourceFormat format = SourceFormat::image_folder;
  std::string where{};         // a path; for some formats, with {000..123} in it
  std::string split{};         // "train" or "test", for formats whose folders hold both; empty: train
  bool is_sequential = false;  // samples will be read in order, so compressed tars are accepted
  nlohmann::json options = nlohmann::json::object();  // docs/dataset-spec.md, "Options"
  std::string options_place{};                        // name of the options in errors; empty: from the path
  // Called once per file whose index could not be stored.
  WarningHandler on_warning{};
};

struct FormatRow {
  SourceFormat format;
  std::string_view name;
  std::span<const std::string_view> schemes;  // of URIs
  std::span<const std::string_view> endings;  // of the names of files, and of patterns with braces
  // Whether a file of this name makes its folder one of this format. Null: no file does.
  bool (*is_sign)(std::string_view name);
  bool has_splits;  // a folder holds train and test
  std::shared_ptr<SampleSource> (*open)(const SourceLocation& location, SpecReader& options);
};

std::span<const FormatRow> formats();
const FormatRow& row_of(SourceFormat format);

// "idx", "webdataset", "leat"...
std::string_view name_of(SourceFormat format);

// Returns the format by the scheme of a URI; nullopt for other names.
std::optional<SourceFormat> source_format(std::string_view scheme);

// Recognizes the format by the ending of a file's name, or of a pattern's with braces, or by the names in a folder.
// Returns nullopt if that tells nothing. Opens no file. Throws SystemError.
std::optional<SourceFormat> recognize_source(const std::string& where);

// Whether the path has an ending, or the folder holds a sign, of this format. Throws SystemError.
bool is_of_format(const std::string& where, SourceFormat format);

// Throws ArgumentError: datasets of this format have the splits train and test only.
[[noreturn]] void refuse_split(std::string_view split, SourceFormat format);

// Opens a dataset of a known format. The source has a spec() unless it can only be read in order or its path is not
// UTF-8. Throws what the format's own source throws, and ArgumentError if the format does not have one of the
// options.
std::shared_ptr<const SampleSource> open_source(const SourceLocation& location);

}  // namespace leat::detail
