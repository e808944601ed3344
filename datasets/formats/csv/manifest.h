// A CSV or TSV file of paths and labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct ManifestOptions {
  std::optional<char> delimiter = {};  // default: a tab if the name ends in .tsv, else a comma
  // Names of the columns in the header. A column whose name is empty is found by the names path, file, filename,
  // image and label, class, target, cls. If the first row holds none of those, it is not a header, and the first two
  // columns are path and label.
  std::string path_column = {};
  std::string label_column = {};
  std::size_t max_file_bytes = std::size_t{256} << 20;
};

// Fields: "image", the file's bytes (jpeg, png or bytes, depending on the ending of its name), and "label" (int). If
// all labels are whole numbers, they are used as they are. Otherwise they are names, and their classes are numbered
// in byte order. Paths that are not absolute start at the manifest's folder. Memory: the paths, and 16 bytes for
// each.
class ManifestSource final : public SampleSource {
 public:
  // Throws DataError naming the line if a row is too short or has an empty path, DataError if there are no rows, and
  // ArgumentError if a named column is missing.
  explicit ManifestSource(const std::filesystem::path& file, ManifestOptions options = {});

  std::size_t size() const override { return labels_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  std::string describe(std::size_t index) const override;
  std::vector<std::string> classes() const override { return classes_; }

 private:
  void add_rows(std::string_view text, const std::string& source);
  void number_labels(const std::vector<std::string>& labels);
  std::filesystem::path path_of(std::size_t index) const;

  std::filesystem::path folder_;
  ManifestOptions options_;
  std::string paths_;
  std::vector<std::size_t> path_ends_;  // in paths_
  std::vector<std::int64_t> labels_;
  std::vector<std::string> classes_;
};

}  // namespace leat::detail
