#include "leat/datasets/io/index_spec.h"

#include "leat/datasets/io/absolute_path.h"

namespace leat::detail {

namespace {

std::string_view name_of(IndexPlace place) {
  switch (place) {
    case IndexPlace::cache:
      return "cache";
    case IndexPlace::beside:
      return "beside";
    case IndexPlace::nowhere:
      return "nowhere";
  }
  return "";
}

}  // namespace

IndexOptions read_index_options(SpecReader& reader, const WarningHandler& on_warning) {
  IndexOptions options{.on_warning = on_warning};
  std::string folder;
  reader.read_enum("index", options.place, {IndexPlace::cache, IndexPlace::beside, IndexPlace::nowhere},
                   name_of);
  reader.read("index_folder", folder);
  options.folder = folder;
  return options;
}

void write_index_options(const IndexOptions& options, nlohmann::json& object) {
  if (options.place != IndexPlace::cache) object["index"] = name_of(options.place);
  if (!options.folder.empty()) object["index_folder"] = absolute_path(options.folder.string());
}

}  // namespace leat::detail
