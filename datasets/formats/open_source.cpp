#include "leat/datasets/formats/open_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/beton.h"
#include "leat/datasets/formats/manifest.h"
#include "leat/datasets/formats/mds.h"
#include "leat/datasets/formats/tfrecord.h"
#include "leat/datasets/formats/webdataset.h"

namespace leat {

namespace {

namespace fs = std::filesystem;

struct Name {
  std::string_view text;
  SourceFormat format;
};

constexpr std::array<Name, 8> kSchemes{{{"idx", SourceFormat::idx},
                                        {"cifar10", SourceFormat::cifar},
                                        {"cifar100", SourceFormat::cifar},
                                        {"webdataset", SourceFormat::webdataset},
                                        {"tfrecord", SourceFormat::tfrecord},
                                        {"mds", SourceFormat::mds},
                                        {"beton", SourceFormat::beton},
                                        {"manifest", SourceFormat::manifest}}};

constexpr std::array<Name, 9> kEndings{{{".tar", SourceFormat::webdataset},
                                        {".tar.gz", SourceFormat::webdataset},
                                        {".tgz", SourceFormat::webdataset},
                                        {".tar.zst", SourceFormat::webdataset},
                                        {".tfrecord", SourceFormat::tfrecord},
                                        {".tfrecords", SourceFormat::tfrecord},
                                        {".beton", SourceFormat::beton},
                                        {".csv", SourceFormat::manifest},
                                        {".tsv", SourceFormat::manifest}}};

std::optional<SourceFormat> by_ending(std::string_view name) {
  for (const Name& ending : kEndings) {
    if (name.ends_with(ending.text)) return ending.format;
  }
  return std::nullopt;
}

// By one name in a folder. Only shards make a folder a dataset of their format by their endings.
std::optional<SourceFormat> by_member(std::string_view name) {
  if (name == "index.json") return SourceFormat::mds;
  if (name == "data_batch_1.bin" || name == "test_batch.bin" || name == "train.bin")
    return SourceFormat::cifar;
  if (name.find("images-idx") != std::string_view::npos ||
      name.find("images.idx") != std::string_view::npos) {
    return SourceFormat::idx;
  }
  const auto format = by_ending(name);
  const bool is_shard = format == SourceFormat::webdataset || format == SourceFormat::tfrecord;
  return is_shard ? format : std::nullopt;
}

std::shared_ptr<const RawSource> open_tars(const std::string& where, const OpenOptions& options) {
  const WebDatasetOptions tar_options{.index = options.index};
  std::vector<std::string> shards = find_tars(where);
  if (options.is_sequential && are_compressed(shards))
    return std::make_shared<TarStreamSource>(std::move(shards), tar_options);
  return std::make_shared<WebDatasetSource>(std::move(shards), tar_options);
}

}  // namespace

std::optional<SourceFormat> source_format(std::string_view name) {
  for (const Name& scheme : kSchemes) {
    if (scheme.text == name) return scheme.format;
  }
  return std::nullopt;
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

std::optional<SourceFormat> recognise_source(const std::string& where) {
  std::error_code error;
  if (!fs::is_directory(where, error)) return by_ending(where);
  fs::directory_iterator entries(where, error);
  if (error) throw SystemError("listing " + where, error.value());
  std::optional<SourceFormat> found;
  for (const fs::directory_entry& entry : entries) {
    const auto format = by_member(entry.path().filename().string());
    if (format && (!found || *format < *found)) found = format;  // whatever order the folder is listed in
  }
  return found;
}

std::shared_ptr<const RawSource> open_source(SourceFormat format, const std::string& where,
                                             const OpenOptions& options) {
  switch (format) {
    case SourceFormat::idx:
      return std::make_shared<PixelSource>(read_idx_pictures(where, options.part));
    case SourceFormat::cifar:
      return std::make_shared<PixelSource>(read_cifar(where, options.part));
    case SourceFormat::webdataset:
      return open_tars(where, options);
    case SourceFormat::tfrecord:
      return std::make_shared<TfRecordSource>(where, TfRecordOptions{.index = options.index});
    case SourceFormat::mds:
      return std::make_shared<MdsSource>(where);
    case SourceFormat::beton:
      return std::make_shared<BetonSource>(where);
    case SourceFormat::manifest:
      return std::make_shared<ManifestSource>(where);
  }
  throw ArgumentError("a format that is not known");
}

}  // namespace leat
