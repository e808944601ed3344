#include "tools/sweep/stored_images.h"

#include <algorithm>
#include <filesystem>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/image_dataset.h"

namespace leat::tools {

using namespace detail;
namespace {

class Images final : public StoredImages {
 public:
  explicit Images(const ImageDataset& images)
      : source_(*images.source()), field_(images.fields().image), choice_({field_}) {}
  std::span<const std::byte> read(std::size_t index) override {
    source_.read(index, choice_, sample_);
    const StoredField* field = sample_.find(field_);
    return field == nullptr ? std::span<const std::byte>() : field->bytes();
  }
  bool are_files() const noexcept override {
    return dynamic_cast<const ImageFolderSource*>(&source_) != nullptr;
  }

 private:
  const SampleSource& source_;
  std::string field_;
  FieldChoice choice_;
  StoredSample sample_;
};

}  // namespace

std::unique_ptr<StoredImages> open_stored_images(const Dataset& dataset) {
  const auto* images = dynamic_cast<const ImageDataset*>(&dataset);
  return images == nullptr ? nullptr : std::make_unique<Images>(*images);
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
