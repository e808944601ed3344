#include "leat/datasets/shards/image_folder_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/utf8.h"
#include "leat/datasets/read_file.h"
#include "leat/datasets/records/xxh3.h"

namespace leat {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20, kMaxNameBytes = 4096;

// Two folders can get one name: "a%FF" and the folder of the byte 0xff behind an "a".
std::vector<std::string> names_of(const ImageFolder& folder, const std::string& root) {
  std::vector<std::string> names;
  for (const std::string& name : folder.classes()) {
    names.push_back(utf8_name(name));
    if (std::ranges::count(names, names.back()) > 1)
      throw DataError(root,
                      fmt::format("two class folders would be stored under the name '{}'", names.back()));
  }
  return names;
}

RecordSchema make_schema(const std::vector<std::string>& classes) {
  return RecordSchema({{{"label", DType::i64, {}}, Content::values},
                       {Field::text("image", kMaxFileBytes), Content::jpeg},
                       {Field::text("name", kMaxNameBytes), Content::text}},
                      classes);
}

}  // namespace

// Nothing is decoded here, so the transforms do not matter.
ImageFolderSource::ImageFolderSource(const std::filesystem::path& root, bool allow_empty)
    : folder_(root, CenterCrop{1}, {.allow_empty = allow_empty}),
      root_((root / "").string()),
      schema_(make_schema(names_of(folder_, root_))) {}

ConversionSample ImageFolderSource::read(std::size_t index) const {
  ConversionSample sample;
  sample.fields.resize(schema_.size());
  const std::string path = folder_.describe(index);
  read_file(path, kMaxFileBytes, sample.fields[kImage]);
  if (sample.fields[kImage].empty()) throw DataError(path, "it is empty");
  const std::int64_t label = folder_.label_of(index);
  const auto label_bytes = std::as_bytes(std::span(&label, 1));
  sample.fields[kLabel].assign(label_bytes.begin(), label_bytes.end());
  const std::string name = utf8_name(std::string_view(path).substr(root_.size()));
  const auto name_bytes = std::as_bytes(std::span(name));
  sample.fields[kName].assign(name_bytes.begin(), name_bytes.end());
  return sample;
}

std::uint64_t ImageFolderSource::fingerprint() const {
  Xxh3Stream checksum;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string path = describe(i);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) status = {};  // an error of read()
    const std::array<std::int64_t, 3> facts{status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    checksum.update(std::as_bytes(std::span(path)));
    checksum.update(std::as_bytes(std::span(facts)));
  }
  return checksum.digest();
}

}  // namespace leat
