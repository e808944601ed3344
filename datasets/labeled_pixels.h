/// \file
/// Readers for sets of small images of one size with labels: MNIST, CIFAR.
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

/// Images of one size and their labels, all in memory.
struct LEAT_EXPORT LabeledPixels {
  std::string origin;                  ///< Where the images come from, for messages.
  Size size;                           ///< The size of each image.
  int channels = 0;                    ///< 1 for gray, 3 for RGB.
  std::vector<std::byte> pixels;       ///< u8, image after image, each row by row, channels interleaved.
  std::vector<std::int64_t> labels;    ///< One per image.
  std::vector<std::string> classes{};  ///< Names of the labels; empty if the files contain none.

  /// Returns the bytes of one image.
  std::size_t image_bytes() const noexcept {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
           static_cast<std::size_t>(channels);
  }
};

/// Makes a dataset with two fields: "image" is u8 [height, width] for gray images and [height, width, 3] for RGB, and
/// "label" is an i64 scalar.
LEAT_EXPORT InMemoryDataset to_dataset(LabeledPixels images);

/// The two parts that MNIST and CIFAR consist of.
enum class DatasetPart {
  train,  ///< For training.
  test,   ///< For testing.
};

/// Reads MNIST, Fashion-MNIST, KMNIST, EMNIST and other sets with such files: an IDX file of u8 [n, h, w] or [n, h,
/// w, 3] and one of u8 or i32 [n], plain or compressed as .gz. Throws DataError if the files have other shapes, or
/// different numbers of images and labels. Throws SystemError if they cannot be read.
LEAT_EXPORT LabeledPixels read_idx_images(const std::filesystem::path& images,
                                          const std::filesystem::path& labels);

/// Finds the two files in a folder: the only file whose name contains "train" (or "t10k" or "test") and "images-idx"
/// or "images.idx", and its counterpart with "labels". Throws DataError if there is not exactly one file of each
/// kind, and like the overload for two files.
LEAT_EXPORT LabeledPixels read_idx_images(const std::filesystem::path& folder, DatasetPart part);

/// Reads the binary version of CIFAR-10 or CIFAR-100, whichever the folder contains. CIFAR-10 consists of
/// data_batch_1.bin to data_batch_5.bin and test_batch.bin, with class names from batches.meta.txt. CIFAR-100
/// consists of train.bin and test.bin; labels are the fine ones, with names from fine_label_names.txt. A record is
/// one label byte (CIFAR-100: two bytes, coarse and fine) and 3 planes of 32 x 32. Throws DataError if a file is not
/// a whole number of records or a label is out of range, and SystemError if it cannot be read. Source: A. Krizhevsky,
/// "Learning Multiple Layers of Features from Tiny Images", and the data's web page.
LEAT_EXPORT LabeledPixels read_cifar(const std::filesystem::path& folder, DatasetPart part);

}  // namespace leat
