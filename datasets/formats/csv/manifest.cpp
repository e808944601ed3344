#include "leat/datasets/formats/csv/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/csv/csv.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/read_file.h"

namespace leat::detail {

namespace {

constexpr std::size_t kMaxManifest = std::size_t{4} << 30;
constexpr std::array<std::string_view, 5> kPathNames{"path", "file", "filename", "image", "file_name"};
constexpr std::array<std::string_view, 4> kLabelNames{"label", "class", "target", "cls"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

struct Columns {
  std::optional<std::size_t> path, label;
};

// Finds the columns that a header row names. Either may be missing.
Columns named_columns(const std::vector<std::string>& header, const ManifestOptions& options) {
  const auto find = [&](const std::string& wanted, const auto& known) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < header.size(); ++i) {
      const bool matches =
          wanted.empty() ? std::ranges::find(known, lower(header[i])) != known.end() : header[i] == wanted;
      if (matches) return i;
    }
    if (wanted.empty()) return std::nullopt;
    throw ArgumentError(
        fmt::format("the manifest has no column '{}' (there are: {})", wanted, fmt::join(header, ", ")));
  };
  return {find(options.path_column, kPathNames), find(options.label_column, kLabelNames)};
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  return std::nullopt;
}

}  // namespace

ManifestSource::ManifestSource(const std::filesystem::path& file, ManifestOptions options)
    : folder_(file.parent_path()), options_(std::move(options)) {
  std::vector<std::byte> bytes;
  read_file(file, kMaxManifest, bytes);
  if (!options_.delimiter) options_.delimiter = lower(file.extension().string()) == ".tsv" ? '\t' : ',';
  add_rows({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
}

void ManifestSource::add_rows(std::string_view text, const std::string& source) {
  CsvReader reader(text, *options_.delimiter, source);
  const std::vector<std::string>* row = reader.next();
  if (row == nullptr) throw DataError(source, "it has no rows");
  const Columns named = named_columns(*row, options_);
  const bool has_header = named.path || named.label;
  if (has_header && !(named.path && named.label)) {
    throw DataError(source, fmt::format("its header names no column of {} (there are: {})",
                                        named.path ? "labels" : "paths", fmt::join(*row, ", ")));
  }
  const std::size_t path = named.path.value_or(0), label = named.label.value_or(1);
  std::vector<std::string> labels;
  for (row = has_header ? reader.next() : row; row != nullptr; row = reader.next()) {
    if (row->size() <= std::max(path, label) || (*row)[path].empty()) {
      throw DataError(fmt::format("{}, line {}", source, reader.line()), "a row needs a path and a label");
    }
    paths_ += (*row)[path];
    path_ends_.push_back(paths_.size());
    labels.push_back((*row)[label]);
  }
  if (labels.empty()) throw DataError(source, "it has no rows");
  number_labels(labels);
}

void ManifestSource::number_labels(const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    if (const auto number = whole_number(label)) labels_.push_back(*number);
  }
  if (labels_.size() == labels.size()) return;
  labels_.clear();
  std::map<std::string, std::int64_t> numbers;
  for (const std::string& label : labels) numbers.emplace(label, 0);
  for (auto& [name, number] : numbers) {
    number = static_cast<std::int64_t>(classes_.size());
    classes_.push_back(name);
  }
  for (const std::string& label : labels) labels_.push_back(numbers.at(label));
}

std::filesystem::path ManifestSource::path_of(std::size_t index) const {
  const std::size_t first = index == 0 ? 0 : path_ends_[index - 1];
  return folder_ / std::string_view(paths_).substr(first, path_ends_[index] - first);
}

void ManifestSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  if (choice.wants("image")) {
    const std::filesystem::path path = path_of(index);
    const std::string ending = lower(path.extension().string());
    const bool is_jpeg = ending == ".jpg" || ending == ".jpeg";
    const Encoding encoding = is_jpeg ? Encoding::jpeg : ending == ".png" ? Encoding::png : Encoding::bytes;
    read_file(path, options_.max_file_bytes, sample.add("image", encoding).memory());
  }
  if (choice.wants("label"))
    append_little(sample.add("label", Encoding::number_of(DType::i64)).memory(), labels_[index]);
}

std::string ManifestSource::describe(std::size_t index) const {
  check_index(index);
  return path_of(index).string();
}

}  // namespace leat::detail
