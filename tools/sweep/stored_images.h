// The bytes of images as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat::tools {

/// Reads the stored bytes of an image, without decoding them. Not thread-safe.
class StoredImages {
 public:
  virtual ~StoredImages() = default;

  /// Returns the file of image `index`, or its pixels. Valid until the next call. Throws what the format throws.
  virtual std::span<const std::byte> read(std::size_t index) = 0;
  /// Returns whether each image is a file of its own, whose path Dataset::describe() returns.
  virtual bool are_files() const noexcept { return false; }
};

/// Opens the images of an ImageDataset, in its order. Returns null for other datasets.
std::unique_ptr<StoredImages> open_stored_images(const Dataset& dataset);

/// Returns at most `most` indices of `size` samples, in rising order and at equal distances.
std::vector<std::size_t> spread_over(std::size_t size, std::size_t most);

/// Returns indices of images spread over a dataset whose images are files: at most `most`, and at most as many as
/// hold about `most_bytes`, estimated from the mean size of a file. At least one if there is any. Throws what
/// std::filesystem::file_size() throws.
std::vector<std::size_t> spread_over_files(const Dataset& files, std::size_t most, std::uint64_t most_bytes);

}  // namespace leat::tools
