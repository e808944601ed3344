// The bytes of images as they are stored.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "datasets/dataset.h"

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

/// For the datasets of images that ImageSet opens: ImageFolder, RecordImages and ImageRecords, whose order it has. null
/// for other datasets.
std::unique_ptr<StoredImages> open_stored_images(const Dataset& dataset);

/// Whether the bytes begin as a JPEG or PNG file does.
bool is_image_file(std::span<const std::byte> bytes);

}  // namespace leat::tools
