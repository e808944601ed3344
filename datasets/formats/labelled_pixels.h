// Small pictures of one size, with their classes, all in memory: MNIST, CIFAR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/raw_source.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/in_memory.h"

namespace leat {

struct LabelledPixels {
  std::string origin;  // for messages
  Size size;
  int channels = 0;                    // 1: grey, 3: RGB
  std::vector<std::byte> pixels;       // picture after picture, each row by row, channels interleaved
  std::vector<std::int64_t> labels;    // one per picture
  std::vector<std::string> classes{};  // empty where the files do not name them

  std::size_t picture_bytes() const noexcept {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
           static_cast<std::size_t>(channels);
  }
};

// The fields "image", u8, [height, width] for grey and [height, width, 3] for RGB, and "label", i64, scalar.
InMemoryDataset to_dataset(LabelledPixels pictures);

// The same as raw fields: "image" (pil) and "label" (int).
class PixelSource final : public RawSource {
 public:
  explicit PixelSource(LabelledPixels pictures) : pictures_(std::move(pictures)) {}

  std::size_t size() const override { return pictures_.labels.size(); }
  void read(std::size_t index, const FieldChoice& choice, RawSample& sample) const override;
  std::string describe(std::size_t index) const override;
  std::vector<std::string> classes() const override { return pictures_.classes; }

 private:
  LabelledPixels pictures_;
};

enum class DatasetPart { train, test };

// MNIST, Fashion-MNIST, KMNIST, EMNIST and whoever else names files so: an IDX file of u8 [n, h, w] or [n, h, w, 3]
// and one of u8 or i32 [n]. Throws DataError where they are otherwise, or do not hold equally many.
LabelledPixels read_idx_pictures(const std::filesystem::path& images, const std::filesystem::path& labels);

// Finds the pair in a folder: the one file whose name holds "train" (or "t10k" or "test") and "images-idx" or
// "images.idx", and its counterpart with "labels". Throws DataError where that is not one file each.
LabelledPixels read_idx_pictures(const std::filesystem::path& folder, DatasetPart part);

// Whether the folder holds the images of this part, by the names in it. Throws SystemError.
bool has_idx_pictures(const std::filesystem::path& folder, DatasetPart part);

// The binary version of CIFAR-10 (data_batch_1.bin to data_batch_5.bin, test_batch.bin; class names from
// batches.meta.txt) or of CIFAR-100 (train.bin, test.bin; fine labels, names from fine_label_names.txt), whichever the
// folder holds. A record is one label byte (CIFAR-100: coarse, fine) and 3 planes of 32 x 32. Throws DataError where a
// file is no whole number of records or a label is out of range.
// Source: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", and the data's web page.
LabelledPixels read_cifar(const std::filesystem::path& folder, DatasetPart part);

// Whether the folder holds this part, by the names in it.
bool has_cifar(const std::filesystem::path& folder, DatasetPart part);

}  // namespace leat
