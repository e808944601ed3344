#include "leat/datasets/formats/webdataset/webdataset_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/arrays/npy.h"
#include "leat/datasets/formats/class_names.h"
#include "leat/datasets/formats/tar/ustar.h"
#include "leat/datasets/image/codecs/png_chunks.h"

namespace leat::detail {

namespace {

// Returns an archive's length with its end: two blocks of zeros, and as many more as make whole records.
std::uint64_t padded(std::uint64_t members) {
  return divide_up(checked_add(members, 2 * kTarBlock), kTarRecord) * kTarRecord;
}

class TarShard final : public ShardBuilder {
 public:
  explicit TarShard(DurableFile& file) : file_(file) {}

  std::uint64_t bytes_with(const EncodedSample& sample) const override {
    return padded(checked_add(file_.size(), sample.bytes.size()));
  }

  void add(EncodedSample sample) override {
    if (sample.key == last_key_) {
      throw ArgumentError(fmt::format(
          "two samples after each other have the key '{}': a reader would join them", sample.key));
    }
    file_.write(sample.bytes);
    last_key_ = std::move(sample.key);
  }

  void finish() override { file_.write(std::vector<std::byte>(padded(file_.size()) - file_.size())); }

 private:
  DurableFile& file_;
  std::string last_key_;
};

std::string extension_of(const RecordSchema& schema, std::size_t field) {
  switch (schema.content(field)) {
    case Content::jpeg:
      return "jpg";
    case Content::text:
      return "txt";
    case Content::bytes:
      return "bin";
    default:
      break;
  }
  const Field& wanted = schema.fields()[field];
  return wanted.name == "label" && schema.fields().has_scalar(field, DType::i64) ? "cls" : "npy";
}

std::string suffix_of(const RecordSchema& schema, std::size_t field) {
  const std::string extension = extension_of(schema, field), &name = schema.fields()[field].name;
  const bool usual =
      (extension == "jpg" && name == "image") || extension == "cls" || (extension == "txt" && name == "text");
  // Readers convert suffixes to lower case, and leave out those that begin with '_'.
  const bool sound = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
  if (!sound || name.starts_with('_')) {
    throw ArgumentError(fmt::format("the field's name '{}' cannot be part of a WebDataset suffix", name));
  }
  return usual ? extension : name + "." + extension;
}

// Whether the text looks like an extension: "jpg", but not the "0001" of "frame.0001".
bool is_extension(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return text.size() <= 5 && std::ranges::any_of(text, is_letter) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

WebDatasetShardWriter::WebDatasetShardWriter(RecordSchema schema)
    : schema_(std::move(schema)), classes_(class_names_text(schema_)) {
  const auto name = schema_.find_name();
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    if (field != name) members_.push_back({suffix_of(schema_, field), field});
  }
  std::ranges::sort(members_, {}, &Member::suffix);
}

std::string WebDatasetShardWriter::key_of(const Record& sample, std::size_t index) const {
  const auto field = schema_.find_name();
  if (!field) return fmt::format("{:09}", index);
  const auto& bytes = sample.fields[*field];
  std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t last = key.rfind('/') == std::string::npos ? 0 : key.rfind('/') + 1;
  if (const std::size_t dot = key.rfind('.');
      dot != std::string::npos && dot > last && is_extension(key.substr(dot + 1)))
    key.resize(dot);
  for (std::size_t dot = key.find('.', last); dot != std::string::npos; dot = key.find('.', dot))
    key.replace(dot, 1, "%2E");
  // Readers skip such names, or would take them for paths outside the folder.
  if (last >= key.size() || key.find('\0') != std::string::npos || key.starts_with('/') ||
      ("/" + key).find("/../") != std::string::npos || ("/" + key).find("/__") != std::string::npos) {
    throw ArgumentError(fmt::format("'{}' cannot be the key of a WebDataset sample", key));
  }
  return key;
}

std::vector<std::byte> WebDatasetShardWriter::content_of(const Record& sample, std::size_t field) const {
  const Field& wanted = schema_.fields()[field];
  const auto& value = sample.fields[field];
  const std::string extension = extension_of(schema_, field);
  if (extension == "cls") {
    std::int64_t label = 0;
    std::memcpy(&label, value.data(), std::min(sizeof label, value.size()));
    const std::string text = fmt::format("{}", label);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  if (extension != "npy") return value;
  Shape shape = wanted.shape;
  if (wanted.is_ragged()) shape.insert(shape.begin(), value.size() / wanted.element_bytes());
  return to_npy(wanted.dtype, shape, value);
}

// Returns the member's suffix. For a PNG, it is changed: jpg -> png, x.jpg -> x.png.
std::string WebDatasetShardWriter::suffix_for(const Member& member,
                                              std::span<const std::byte> content) const {
  std::string suffix = member.suffix;
  if (schema_.content(member.field) == Content::jpeg && is_png(content)) {
    suffix.replace(suffix.size() - 3, 3, "png");
  }
  return suffix;
}

EncodedSample WebDatasetShardWriter::encode(const Record& sample, std::size_t index) const {
  EncodedSample encoded;
  encoded.key = key_of(sample, index);
  for (const Member& member : members_) {
    const std::vector<std::byte> content = content_of(sample, member.field);
    append_tar_member(encoded.bytes, encoded.key + "." + suffix_for(member, content), content);
    encoded.raw_bytes += content.size();
  }
  return encoded;
}

std::string WebDatasetShardWriter::shard_name(std::size_t shard) const {
  return fmt::format("shard-{:06}.tar", shard);
}

std::unique_ptr<ShardBuilder> WebDatasetShardWriter::begin(std::size_t shard, DurableFile& file) const {
  (void)shard;  // the file's name states it
  return std::make_unique<TarShard>(file);
}

void WebDatasetShardWriter::write_index(const std::filesystem::path& folder,
                                        std::span<const ShardSummary>) const {
  write_class_names(folder, classes_);
}

}  // namespace leat::detail
