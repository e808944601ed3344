// An image folder's files as they are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "datasets/image_folder.h"
#include "datasets/shards/conversion_source.h"

namespace leat {

// Samples, order, labels and classes are ImageFolder's. Fields: "label", i64; "image", the JPEG or PNG file; "name", its path
// below the root.
class ImageFolderSource final : public ConversionSource {
 public:
  static constexpr std::size_t kLabel = 0, kImage = 1, kName = 2;  // the fields' positions

  // Throws what ImageFolder throws.
  explicit ImageFolderSource(const std::filesystem::path& root);

  std::size_t size() const override { return folder_.size(); }
  const RecordSchema& schema() const override { return schema_; }
  ConversionSample read(std::size_t index) const override;
  std::string describe(std::size_t index) const override { return folder_.describe(index); }

 private:
  ImageFolder folder_;
  std::string root_;  // ends in '/'
  RecordSchema schema_;
};

}  // namespace leat
