// An image folder's files as they are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "leat/datasets/image_folder.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat {

// Samples, order, labels and classes are ImageFolder's. Fields: "label", i64; "image", the JPEG or PNG file; "name", its path
// below the root, as utf8_name() has it.
class ImageFolderSource final : public ConversionSource {
 public:
  static constexpr std::size_t kLabel = 0, kImage = 1, kName = 2;  // the fields' positions

  // Throws what ImageFolder throws; `allow_empty` is its option.
  explicit ImageFolderSource(const std::filesystem::path& root, bool allow_empty = false);

  std::size_t size() const override { return folder_.size(); }
  const RecordSchema& schema() const override { return schema_; }
  ConversionSample read(std::size_t index) const override;
  std::string describe(std::size_t index) const override { return folder_.describe(index); }
  std::string warnings() const override { return folder_.warnings(); }
  std::uint64_t fingerprint() const override;  // of the files' names, sizes and times of change

 private:
  ImageFolder folder_;
  std::string root_;  // ends in '/'
  RecordSchema schema_;
};

}  // namespace leat
