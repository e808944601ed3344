#include "tools/convert/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/records/manifest.h"
#include "leat/datasets/shards/format_source.h"
#include "leat/datasets/shards/image_folder_source.h"
#include "leat/datasets/shards/record_source.h"
#include "tools/common/command_line.h"
#include "tools/common/splits.h"
#include "tools/convert/progress.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;
using Kind = SourceAddress::Kind;

bool is_records(const fs::path& path) {
  return has_manifest(path) || (fs::is_regular_file(path) && path.extension() == ".leat");
}

SourceAddress recognise(const fs::path& path) {
  require_something(path);
  if (is_records(path)) return {Kind::records, path};
  if (const auto format = format_at(path)) return {Kind::format, path, format};
  if (fs::is_directory(path)) return {Kind::image_folder, path};
  throw UsageError(fmt::format(
      "'{}' is of no format that is read: those are image folders, leat records (.leat), webdataset (.tar, "
      ".tar.gz, .tar.zst), tfrecord (.tfrecord), beton (.beton), manifest (.csv, .tsv), mds, idx and cifar "
      "(folders); a file with another ending can be said as FORMAT:PATH",
      path.string()));
}

// A folder of leat records, or one with such folders as its splits.
SourceAddress records_at(const fs::path& path) {
  const auto is_set = [](const Split& split) { return has_manifest(split.path); };
  if (is_records(path) || std::ranges::any_of(split_folders(path), is_set)) return {Kind::records, path};
  throw UsageError(fmt::format("'{}' holds no leat records: there is no {}, neither in it nor in its splits",
                               path.string(), kManifestName));
}

bool has_parts(const SourceAddress& address) {
  return address.format == SourceFormat::idx || address.format == SourceFormat::cifar;
}

// Both parts, where there are both.
std::vector<NamedSource> parts_of(const SourceAddress& address, const std::optional<std::string>& split) {
  SourceAddress train = address, test = address;
  test.part = DatasetPart::test;
  if (split) {
    if (*split == "train") return {{"", train}};
    if (*split == "test") return {{"", test}};
    throw UsageError(
        fmt::format("--split {}: {} has the splits train and test", *split, name_of(*address.format)));
  }
  const bool is_idx = address.format == SourceFormat::idx;
  const auto has = [&](DatasetPart part) {
    return is_idx ? has_idx_pictures(address.path, part) : has_cifar(address.path, part);
  };
  if (has(DatasetPart::train) && has(DatasetPart::test)) return {{"train", train}, {"test", test}};
  return {{"", has(DatasetPart::test) ? test : train}};
}

// What lies in a folder below `root`, which the user said the kind of, or did not.
SourceAddress address_below(const SourceAddress& root, bool is_said, const fs::path& path) {
  if (!is_said) return recognise(path);
  if (has_manifest(path)) return {Kind::records, path};
  return {root.kind, path, root.format};
}

NamedSource chosen_split(const SourceAddress& root, bool is_said, const std::string& split) {
  const bool is_name =
      !split.empty() && split != "." && split != ".." && split.find('/') == std::string::npos;
  if (is_name && fs::is_directory(root.path / split))
    return {"", address_below(root, is_said, root.path / split)};
  throw UsageError(fmt::format("--split {}: there is no such folder in '{}'", split, root.path.string()));
}

std::vector<Split> splits_of(const SourceAddress& root) {
  if (root.kind == Kind::records)
    return is_records(root.path) ? std::vector<Split>() : split_folders(root.path);
  if (root.kind == Kind::image_folder) return find_splits(root.path);
  return recognise_source(root.path.string()) == root.format ? std::vector<Split>()
                                                             : split_folders(root.path);
}

void require_one_split(const SourceAddress& address) {
  if (address.format) tools::require_one_split(address.path.string(), *address.format);
}

std::unique_ptr<ConversionSource> with_field(std::unique_ptr<ConversionSource> source,
                                             const std::string& name) {
  if (name.empty() || source->schema().find(name)) return source;
  throw UsageError(fmt::format("--image-field {}: there is no such field", name));
}

std::unique_ptr<ConversionSource> open_format(const SourceAddress& address, const SourceOptions& options) {
  auto source = leat::open_source(address.format.value(), address.path.string(),
                                  {.part = address.part, .is_sequential = true});
  FormatSourceOptions reading{.image_field = options.image_field};
  if (options.tells_progress) {
    auto progress = std::make_shared<Progress>("reading through", source->size());
    reading.on_progress = [progress](std::size_t done) { progress->update(done, 0); };
  }
  return std::make_unique<FormatSource>(std::move(source), reading);
}

}  // namespace

SourceAddress find_source(const std::string& uri) {
  require_path(uri);
  const std::string_view view = uri;
  for (const std::string_view scheme : {kImageFolderScheme, kClassesScheme}) {
    if (view.starts_with(scheme)) return {Kind::image_folder, view.substr(scheme.size())};
  }
  const std::size_t colon = view.find(':');
  if (colon != std::string_view::npos) {
    if (const auto format = source_format(view.substr(0, colon)))
      return {Kind::format, view.substr(colon + 1), format};
  }
  try {
    if (view.starts_with(kRecordsScheme)) return records_at(view.substr(kRecordsScheme.size()));
    return recognise(uri);
  } catch (const SystemError& error) {
    throw UsageError(error.what());
  }
}

std::vector<NamedSource> find_sources(const std::string& uri, const std::optional<std::string>& split) {
  const SourceAddress root = find_source(uri);
  const bool is_said = root.path != fs::path(uri);  // there is a scheme
  try {
    if (has_parts(root)) return parts_of(root, split);
    std::vector<NamedSource> sources;
    if (split) {
      sources.push_back(chosen_split(root, is_said, *split));
    } else if (!uri.starts_with(kClassesScheme)) {
      for (const Split& each : splits_of(root))
        sources.push_back({each.name, address_below(root, is_said, each.path)});
    }
    if (sources.empty()) sources.push_back({"", root});
    for (const NamedSource& each : sources) require_one_split(each.address);
    return sources;
  } catch (const SystemError& error) {
    throw UsageError(error.what());
  }
}

std::unique_ptr<ConversionSource> open_source(const SourceAddress& address, const SourceOptions& options) {
  try {
    switch (address.kind) {
      case Kind::records:
        return with_field(std::make_unique<RecordSource>(address.path), options.image_field);
      case Kind::image_folder:
        return with_field(std::make_unique<ImageFolderSource>(address.path, options.allow_empty),
                          options.image_field);
      case Kind::format:
        return open_format(address, options);
    }
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  throw UsageError(fmt::format("'{}' is of no known kind", address.path.string()));
}

std::vector<std::string> warnings_of(const ConversionSource& source, const ImageWarnings& images) {
  std::vector<std::string> sentences{images.text([&](std::size_t index) { return source.describe(index); }),
                                     source.warnings()};
  std::erase(sentences, "");
  return sentences;
}

std::string describe(const SourceAddress& address) {
  switch (address.kind) {
    case Kind::records:
      return "leat records";
    case Kind::image_folder:
      return "an image folder";
    case Kind::format:
      return fmt::format("a source in the format {}", name_of(address.format.value()));
  }
  return {};
}

}  // namespace leat::tools
