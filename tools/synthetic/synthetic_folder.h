// The generated images as an image folder on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

namespace leat::tools {

struct SyntheticFolderOptions {
  std::size_t images = 2000;  // train and test together; at least 50, so that every class has both
  std::uint64_t seed = 1;
  int threads = 1;  // including the caller's
  // Called on the caller's thread with the number of images written so far. Not called again after the last image was
  // reported.
  std::function<void(std::size_t done, std::size_t images)> progress = {};
};

// Writes root/train/<class>/<index>.jpg and root/test/<class>/<index>.jpg. Every fifth image of each class goes to
// test. Does nothing and returns false if `root` already holds exactly these images, according to its marker file.
//
// All or nothing: the images are written into a folder beside `root`, which is then renamed to `root`. Two processes
// may do that at the same time. All threads have ended when the function returns. Throws ArgumentError if `root`
// exists and holds something else, SystemError if the disk is full or not writable; in these cases nothing is left
// behind.
bool write_synthetic_image_folder(const std::filesystem::path& root,
                                  const SyntheticFolderOptions& options = {});

}  // namespace leat::tools
