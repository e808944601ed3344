// The bytes of images as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat::tools {

/// Reads what is stored of an image, without decoding it. Not thread-safe.
class StoredImages {
 public:
  virtual ~StoredImages() = default;

  /// The file of image `index`, or its pixels; valid until the next call. Throws what the format throws.
  virtual std::span<const std::byte> read(std::size_t index) = 0;
  /// Whether each image is a file of its own, whose path Dataset::describe() tells.
  virtual bool are_files() const noexcept { return false; }
};

/// For an ImageDataset, whose order it has; null for other datasets.
std::unique_ptr<StoredImages> open_stored_images(const Dataset& dataset);

/// Indices of `size` samples, in rising order and at equal distances: at most `most` of them.
std::vector<std::size_t> spread_over(std::size_t size, std::size_t most);

/// Indices of images spread over a dataset whose images are files: at most `most`, and no more than hold about
/// `most_bytes`, going by the mean size of a file. At least one if there is any. Throws what
/// std::filesystem::file_size() throws.
std::vector<std::size_t> spread_over_files(const Dataset& files, std::size_t most, std::uint64_t most_bytes);

}  // namespace leat::tools
