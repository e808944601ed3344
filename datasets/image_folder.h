// A folder of images with one sub-folder per class, as torchvision.datasets.ImageFolder reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/file_index.h"
#include "leat/datasets/image/decode_options.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/transform.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/labelled_image.h"

namespace leat {

// Whether it ends in .jpg, .jpeg or .png, in any case.
bool has_picture_name(const std::filesystem::path& path);

// Whether it is a link that leads nowhere, or in a circle. One whose target cannot be looked at for another reason is
// none: is_directory() then throws.
bool is_broken_link(const std::filesystem::directory_entry& entry);

struct ImageFolderOptions {
  JpegLimits jpeg = {};
  std::size_t max_file_bytes = std::size_t{256} << 20;
  bool exif_orientation = false;  // as in DecodeOptions
  double reducing_gap = 0;        // as in DecodeOptions
  bool allow_empty = false;       // a class may have no images; it keeps its place in classes()
};

// Classes are the sub-folders of the root, sorted by name (byte order). A class's images are the files anywhere below
// it whose names end in .jpg, .jpeg or .png, in any case, sorted by folder and then by name. That order is the samples'
// order. Links are followed. Links that lead nowhere are left out, counted, and reported by warnings().
//
// A file is read when its sample is loaded. Its first bytes, not its name, tell a JPEG from a PNG. A file that is
// neither, that is damaged, or that the transforms cannot take is a DataError with the file's name.
//
// The fields are those of LabelledImage; the label is the class's position in classes().
//
// Thread-safe. Memory: the file names, and 13 bytes for each.
class ImageFolder final : public Dataset {
 public:
  // Lists the folder. Throws ArgumentError where the transforms do not make all pictures equally large, or the reducing
  // gap is neither 0 nor at least 1; DataError where there are no classes or, without allow_empty, a class has no
  // images; SystemError where a folder cannot be read.
  ImageFolder(const std::filesystem::path& root, TransformPipeline transforms,
              ImageFolderOptions options = {});

  std::size_t size() const override { return files_.size(); }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  std::string warnings() const override;
  // How many images were decoded with warnings so far, in all processes that load from this dataset.
  ImageWarnings::Counts image_warnings() const noexcept { return warnings_.counts(); }
  std::string describe(std::size_t index) const override;  // the path

  const std::vector<std::string>& classes() const noexcept { return classes_; }
  std::int64_t label_of(std::size_t index) const;
  // Files below the classes whose names do not end as pictures' do.
  std::size_t ignored_files() const noexcept { return ignored_files_; }
  // Links to classes and images that lead nowhere; they were left out.
  std::size_t broken_links() const noexcept { return broken_links_.count; }

 private:
  void list(const std::filesystem::path& root, bool allow_empty);
  void list_class(const std::filesystem::path& folder, std::int64_t label, bool allow_empty);
  void count_broken_link(const std::filesystem::path& link);
  void check_index(std::size_t index) const;
  void load(std::size_t index, Rng& rng, std::span<std::byte> row) const;

  TransformPipeline transforms_;
  std::size_t max_file_bytes_;
  DecodeOptions decode_;
  LabelledImage image_;
  Schema schema_;
  std::vector<std::string> classes_;
  FileIndex files_;
  std::vector<std::int64_t> folder_labels_;  // by the folders of files_
  std::size_t ignored_files_ = 0;
  struct BrokenLinks {
    std::size_t count = 0;
    std::string first;  // its path
  } broken_links_;
  ImageWarnings warnings_;
};

}  // namespace leat
