// A folder of images with one sub-folder per class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/folder/file_index.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

// Whether the name ends in .jpg, .jpeg or .png, in upper or lower case.
bool has_image_name(const std::filesystem::path& path);

// Whether the entry is a link that leads nowhere, or in a circle. A link whose target cannot be examined for another
// reason is not broken: is_directory() then throws.
bool is_broken_link(const std::filesystem::directory_entry& entry);

struct ImageFolderSourceOptions {
  std::size_t max_file_bytes = std::size_t{256} << 20;
  bool allow_empty = false;  // a class may have no images; it keeps its place in classes()
};

// Classes are the sub-folders of the root, sorted by name (byte order). A class's images are the files anywhere below
// it whose names end in .jpg, .jpeg or .png, in upper or lower case, sorted by folder and then by name. The samples
// have that order. Links are followed. Links that lead nowhere are left out, counted, and reported by warnings().
//
// Fields: "label", i64; "image", the JPEG or PNG file; "name", its path below the root, as utf8_name() returns it.
//
// Memory: the file names, and 13 bytes for each.
class ImageFolderSource final : public SampleSource {
 public:
  // Lists the folder. Throws DataError if there are no classes, if a class has no images (unless allow_empty is set),
  // or if two classes would have the same name; SystemError if a folder cannot be read.
  explicit ImageFolderSource(const std::filesystem::path& root, ImageFolderSourceOptions options = {});

  std::size_t size() const override { return files_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  std::string describe(std::size_t index) const override;  // the path
  std::vector<std::string> classes() const override { return schema_.classes(); }
  const RecordSchema* schema() const noexcept override { return &schema_; }
  std::optional<std::uint64_t> fingerprint()
      const override;  // of the files' names, sizes and modification times
  std::string warnings() const override;

  // Names of the class folders, which need not be UTF-8.
  const std::vector<std::string>& folders() const noexcept { return classes_; }
  std::int64_t label_of(std::size_t index) const;
  // Number of files below the classes whose names do not end like images.
  std::size_t ignored_files() const noexcept { return ignored_files_; }
  // Number of links to classes and images that lead nowhere; they were left out.
  std::size_t broken_links() const noexcept { return broken_links_.count; }

 private:
  void list();
  void list_class(const std::filesystem::path& folder, std::int64_t label);
  void count_broken_link(const std::filesystem::path& link);

  std::filesystem::path root_path_;
  std::string root_;  // ends in '/'
  ImageFolderSourceOptions options_;
  std::vector<std::string> classes_;
  FileIndex files_;
  std::vector<std::int64_t> folder_labels_;  // one per folder of files_
  std::size_t ignored_files_ = 0;
  struct BrokenLinks {
    std::size_t count = 0;
    std::string first;  // its path
  } broken_links_;
  RecordSchema schema_;
};

}  // namespace leat::detail
