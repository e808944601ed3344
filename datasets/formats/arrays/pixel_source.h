// Small images in memory as a source of samples.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/labeled_pixels.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Fields: "image" (pixels) and "label" (i64).
class PixelSource final : public SampleSource {
 public:
  explicit PixelSource(LabeledPixels images) : images_(std::move(images)) {}

  std::size_t size() const override { return images_.labels.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  std::string describe(std::size_t index) const override;
  std::vector<std::string> classes() const override { return images_.classes; }

 private:
  LabeledPixels images_;
};

// Whether the folder holds the images of this part, judging by the names in it. has_idx_images() throws SystemError.
bool has_idx_images(const std::filesystem::path& folder, DatasetPart part);
bool has_cifar(const std::filesystem::path& folder, DatasetPart part);

}  // namespace leat::detail
