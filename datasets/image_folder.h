/// \file
/// A folder of images with one sub-folder per class, as torchvision.datasets.ImageFolder reads it.
#pragma once

#include <cstddef>
#include <filesystem>

#include "leat/datasets/export.h"
#include "leat/datasets/image_dataset.h"

namespace leat {

/// How an ImageFolder lists and decodes.
struct LEAT_EXPORT ImageFolderOptions {
  JpegLimits jpeg = {};                                 ///< What an image may ask for.
  std::size_t max_file_bytes = std::size_t{256} << 20;  ///< Longer files are a DataError.
  bool exif_orientation = false;                        ///< As in DecodeOptions.
  double reducing_gap = 0;                              ///< As in DecodeOptions.
  bool allow_empty = false;  ///< A class may have no images; it keeps its place in classes().
};

/// The images of a folder. Classes are the sub-folders of the root, sorted by name (byte order). A class's images are
/// the files anywhere below it whose names end in .jpg, .jpeg or .png, in any case, sorted by folder and then by name.
/// That order is the samples' order. Links are followed. Links that lead nowhere are left out, counted, and reported by
/// warnings().
///
/// classes() are the folders' names; bytes that are not UTF-8 become %XX, and % becomes %25.
///
/// A file is read when its sample is loaded. Its first bytes, not its name, tell a JPEG from a PNG. A file that is
/// neither, that is damaged, or that the transforms cannot take is a DataError with the file's name.
///
/// Thread-safe. Memory: the file names, and 13 bytes for each.
class LEAT_EXPORT ImageFolder final : public ImageDataset {
 public:
  /// Lists the folder. Throws ArgumentError as ImageDataset; DataError if there are no classes or, without allow_empty,
  /// a class has no images; SystemError if a folder cannot be read.
  ImageFolder(const std::filesystem::path& root, TransformPipeline transforms,
              ImageFolderOptions options = {});

  /// Returns the number of files below the classes whose names do not end as those of images.
  std::size_t ignored_files() const noexcept { return ignored_files_; }
  /// Returns the number of links to classes and images that lead nowhere; they were left out.
  std::size_t broken_links() const noexcept { return broken_links_; }

 private:
  std::size_t ignored_files_ = 0;
  std::size_t broken_links_ = 0;
};

}  // namespace leat
