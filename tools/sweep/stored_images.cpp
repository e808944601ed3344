#include "tools/sweep/stored_images.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "leat/datasets/formats/image_records.h"
#include "leat/datasets/formats/stored_picture.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/read_file.h"
#include "leat/datasets/records/record_images.h"

namespace leat::tools {
namespace {

class Files final : public StoredImages {
 public:
  explicit Files(const ImageFolder& folder) : folder_(folder) {}
  std::span<const std::byte> read(std::size_t index) override {
    read_file(folder_.describe(index), ImageFolderOptions().max_file_bytes, bytes_);
    return bytes_;
  }
  bool are_files() const noexcept override { return true; }

 private:
  const ImageFolder& folder_;
  std::vector<std::byte> bytes_;
};

class Records final : public StoredImages {
 public:
  explicit Records(const RecordImages& images) : images_(images) {}
  std::span<const std::byte> read(std::size_t index) override {
    const RecordView record = images_.records().read(index);
    std::span<const std::byte> longest;
    for (std::size_t field = 0; field < images_.records().schema().size(); ++field) {
      if (record.bytes(field).size() > longest.size()) longest = record.bytes(field);
    }
    return longest;  // the image: the other fields are numbers and names
  }

 private:
  const RecordImages& images_;
};

class Samples final : public StoredImages {
 public:
  explicit Samples(const ImageRecords& images)
      : source_(images.source()), field_(find_image_fields(source_).image), choice_({field_}) {}
  std::span<const std::byte> read(std::size_t index) override {
    source_.read(index, choice_, sample_);
    const RawField* field = sample_.find(field_);
    return field == nullptr ? std::span<const std::byte>() : field->bytes;
  }

 private:
  const RawSource& source_;
  std::string field_;
  FieldChoice choice_;
  RawSample sample_;
};

}  // namespace

std::unique_ptr<StoredImages> open_stored_images(const Dataset& dataset) {
  if (const auto* folder = dynamic_cast<const ImageFolder*>(&dataset))
    return std::make_unique<Files>(*folder);
  if (const auto* images = dynamic_cast<const RecordImages*>(&dataset))
    return std::make_unique<Records>(*images);
  if (const auto* images = dynamic_cast<const ImageRecords*>(&dataset))
    return std::make_unique<Samples>(*images);
  return nullptr;
}

bool is_image_file(std::span<const std::byte> bytes) {
  const std::string_view kind = picture_kind(bytes);
  return kind == "JPEG" || kind == "PNG";
}

std::vector<std::size_t> spread_over(std::size_t size, std::size_t most) {
  const std::size_t count = std::min(size, most);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i) indices[i] = i * size / count;
  return indices;
}

std::vector<std::size_t> spread_over_files(const Dataset& files, std::size_t most, std::uint64_t most_bytes) {
  std::vector<std::size_t> indices = spread_over(files.size(), most);
  std::uint64_t bytes = 0;
  for (const std::size_t index : indices) bytes += std::filesystem::file_size(files.describe(index));
  if (bytes <= most_bytes) return indices;
  const double share = static_cast<double>(most_bytes) / static_cast<double>(bytes);
  const auto fitting = static_cast<std::size_t>(share * static_cast<double>(indices.size()));
  return spread_over(files.size(), std::max<std::size_t>(1, fitting));
}

}  // namespace leat::tools
