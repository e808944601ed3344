/// \file
/// A folder of images with one subfolder per class, as in torchvision.datasets.ImageFolder.
#pragma once

#include <cstddef>
#include <filesystem>

#include "leat/datasets/export.h"
#include "leat/datasets/image_dataset.h"

namespace leat {

/// Options for listing and decoding in an ImageFolder.
struct LEAT_EXPORT ImageFolderOptions {
  JpegLimits jpeg = {};                                 ///< Limits for image files.
  std::size_t max_file_bytes = std::size_t{256} << 20;  ///< Longer files are a DataError.
  bool exif_orientation = false;                        ///< As in DecodeOptions.
  double reducing_gap = 0;                              ///< As in DecodeOptions.
  bool allow_empty = false;  ///< Whether a class may have no images. It then keeps its place in classes().
};

/// Delivers the images of a folder. Classes are the subfolders of the root, sorted by name (byte order). A class's
/// images are the files anywhere below its folder whose names end in .jpg, .jpeg or .png, in any case, sorted by
/// folder and then by name. Samples have the same order. Links are followed. Broken links are left out, counted, and
/// reported by warnings().
///
/// classes() are the folders' names. Bytes that are not UTF-8 become %XX, and % becomes %25.
///
/// A file is read when its sample is loaded. A JPEG and a PNG are told apart by the file's first bytes, not by its
/// name. A file that is neither, that is damaged, or that the transforms cannot handle is a DataError with the file's
/// name.
///
/// Thread-safe. Takes memory for the file names, and 13 bytes more for each file.
class LEAT_EXPORT ImageFolder final : public ImageDataset {
 public:
  /// Lists the folder. Throws ArgumentError like ImageDataset. Throws DataError if there are no classes, or if a
  /// class has no images and allow_empty is not set. Throws SystemError if a folder cannot be read.
  ImageFolder(const std::filesystem::path& root, TransformPipeline transforms,
              ImageFolderOptions options = {});

  /// Returns the number of files below the class folders whose names do not have an image suffix.
  std::size_t ignored_files() const noexcept { return ignored_files_; }
  /// Returns the number of broken links to classes and images. They are left out.
  std::size_t broken_links() const noexcept { return broken_links_; }

 private:
  std::size_t ignored_files_ = 0;
  std::size_t broken_links_ = 0;
};

}  // namespace leat
