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
  int threads = 1;  // of which the caller is one
  // Called on the caller's thread with the number of images written so far; never after the last has been
  // reported.
  std::function<void(std::size_t done, std::size_t images)> progress = {};
};

// Writes root/train/<class>/<index>.jpg and root/test/<class>/<index>.jpg; every fifth image of each class
// goes to test. Returns false, having done nothing, where `root` already holds just these images (its marker
// file says so).
//
// All or nothing: the images are written into a folder beside `root`, which then gets its name; two processes
// may do that at once. No thread is left when it returns. Throws ArgumentError where `root` exists and holds
// something else, SystemError where the disk is full or not writable; nothing stays behind then.
bool write_synthetic_image_folder(const std::filesystem::path& root,
                                  const SyntheticFolderOptions& options = {});

}  // namespace leat::tools
