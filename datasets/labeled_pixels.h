/// \file
/// Small images of one size with their labels, all in memory: MNIST, CIFAR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/datasets/image_size.h"
#include "leat/datasets/in_memory.h"

namespace leat {

/// Images of one size and their labels.
struct LEAT_EXPORT LabeledPixels {
  std::string origin;                  ///< Where they come from, for messages.
  Size size;                           ///< The size of each image.
  int channels = 0;                    ///< 1: gray, 3: RGB.
  std::vector<std::byte> pixels;       ///< u8, image after image, each row by row, channels interleaved.
  std::vector<std::int64_t> labels;    ///< One per image.
  std::vector<std::string> classes{};  ///< Names of the labels; empty if the files do not name them.

  /// Returns the bytes of one image.
  std::size_t image_bytes() const noexcept {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
           static_cast<std::size_t>(channels);
  }
};

/// Makes a dataset with the fields "image", u8, [height, width] if gray and [height, width, 3] if RGB, and "label",
/// i64, scalar.
LEAT_EXPORT InMemoryDataset to_dataset(LabeledPixels images);

/// The two parts that MNIST and CIFAR consist of.
enum class DatasetPart {
  train,  ///< For training.
  test,   ///< For testing.
};

/// Reads MNIST, Fashion-MNIST, KMNIST, EMNIST and others that name files so: an IDX file of u8 [n, h, w] or [n, h, w,
/// 3] and one of u8 or i32 [n], plain or as .gz. Throws DataError if they have other shapes, or do not hold equally
/// many; SystemError if they cannot be read.
LEAT_EXPORT LabeledPixels read_idx_images(const std::filesystem::path& images,
                                          const std::filesystem::path& labels);

/// Finds the pair in a folder: the one file whose name holds "train" (or "t10k" or "test") and "images-idx" or
/// "images.idx", and its counterpart with "labels". Throws DataError if there is not one file of each, and as the
/// overload for two files.
LEAT_EXPORT LabeledPixels read_idx_images(const std::filesystem::path& folder, DatasetPart part);

/// Reads the binary version of CIFAR-10 (data_batch_1.bin to data_batch_5.bin, test_batch.bin; class names from
/// batches.meta.txt) or of CIFAR-100 (train.bin, test.bin; fine labels, names from fine_label_names.txt), whichever the
/// folder holds. A record is one label byte (CIFAR-100: coarse, fine) and 3 planes of 32 x 32. Throws DataError if a
/// file is not a whole number of records or a label is out of range; SystemError if it cannot be read. Source: A.
/// Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", and the data's web page.
LEAT_EXPORT LabeledPixels read_cifar(const std::filesystem::path& folder, DatasetPart part);

}  // namespace leat
