#include "tools/sweep/stored_images.h"

#include <algorithm>
#include <array>

#include "datasets/formats/image_records.h"
#include "datasets/image_folder.h"
#include "datasets/read_file.h"
#include "datasets/records/record_images.h"

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

template <std::size_t N>
bool starts_with(std::span<const std::byte> bytes, const std::array<unsigned char, N>& start) {
  return bytes.size() >= N && std::ranges::equal(bytes.first(N), std::as_bytes(std::span(start)));
}

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
  return starts_with(bytes, std::array<unsigned char, 3>{0xFF, 0xD8, 0xFF}) ||
         starts_with(bytes, std::array<unsigned char, 8>{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
}

}  // namespace leat::tools
