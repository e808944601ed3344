#include "datasets/shards/image_folder_source.h"

#include <cstring>

#include "datasets/read_file.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20, kMaxNameBytes = 4096;

RecordSchema make_schema(const std::vector<std::string>& classes) {
  return RecordSchema({{{"label", DType::i64, {}}, Content::values},
                       {Field::text("image", kMaxFileBytes), Content::jpeg},
                       {Field::text("name", kMaxNameBytes), Content::text}},
                      classes);
}

}  // namespace

// Nothing is decoded here, so the transforms do not matter.
ImageFolderSource::ImageFolderSource(const std::filesystem::path& root)
    : folder_(root, CenterCrop{1}), root_((root / "").string()), schema_(make_schema(folder_.classes())) {}

ConversionSample ImageFolderSource::read(std::size_t index) const {
  ConversionSample sample;
  sample.fields.resize(schema_.size());
  const std::string path = folder_.describe(index);
  read_file(path, kMaxFileBytes, sample.fields[kImage]);
  if (sample.fields[kImage].empty()) throw DataError(path, "it is empty");
  const std::int64_t label = folder_.label_of(index);
  const auto label_bytes = std::as_bytes(std::span(&label, 1));
  sample.fields[kLabel].assign(label_bytes.begin(), label_bytes.end());
  const auto name = std::as_bytes(std::span(path).subspan(root_.size()));
  sample.fields[kName].assign(name.begin(), name.end());
  return sample;
}

}  // namespace leat
