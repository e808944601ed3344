#include "tools/convert/sources.h"

#include <fmt/format.h>

#include "datasets/records/manifest.h"
#include "datasets/shards/format_source.h"
#include "datasets/shards/image_folder_source.h"
#include "datasets/shards/record_source.h"
#include "tools/common/command_line.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;
using Kind = SourceAddress::Kind;

constexpr std::string_view kImageFolder = "imagefolder:";

bool is_records(const fs::path& path) {
  return has_manifest(path) || (fs::is_regular_file(path) && path.extension() == ".leat");
}

SourceAddress recognise(const fs::path& path) {
  const bool is_pattern = path.string().find('{') != std::string::npos;
  if (!fs::exists(path) && !is_pattern)
    throw UsageError(fmt::format("there is nothing at '{}'", path.string()));
  if (is_records(path)) return {Kind::records, path};
  if (const auto format = recognise_source(path.string())) return {Kind::format, path, format};
  return {Kind::image_folder, path};
}

std::string_view name_of(SourceFormat format) {
  switch (format) {
    case SourceFormat::idx:
      return "idx";
    case SourceFormat::cifar:
      return "cifar";
    case SourceFormat::webdataset:
      return "webdataset";
    case SourceFormat::tfrecord:
      return "tfrecord";
    case SourceFormat::mds:
      return "mds";
    case SourceFormat::beton:
      return "beton";
    case SourceFormat::manifest:
      return "manifest";
  }
  return "";
}

}  // namespace

SourceAddress find_source(const std::string& uri) {
  const std::string_view view = uri;
  if (view.starts_with(kImageFolder)) return {Kind::image_folder, view.substr(kImageFolder.size())};
  const std::size_t colon = view.find(':');
  if (colon != std::string_view::npos) {
    if (const auto format = source_format(view.substr(0, colon)))
      return {Kind::format, view.substr(colon + 1), format};
  }
  try {
    return recognise(uri);
  } catch (const SystemError& error) {
    throw UsageError(error.what());
  }
}

std::unique_ptr<ConversionSource> open_source(const SourceAddress& address, DatasetPart part) {
  try {
    switch (address.kind) {
      case Kind::records:
        return std::make_unique<RecordSource>(address.path);
      case Kind::image_folder:
        return std::make_unique<ImageFolderSource>(address.path);
      case Kind::format:
        return std::make_unique<FormatSource>(
            leat::open_source(address.format.value(), address.path.string(), {.part = part}));
    }
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  throw UsageError(fmt::format("'{}' is of no known kind", address.path.string()));
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
