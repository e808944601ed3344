#include "leat/datasets/formats/mds/mds_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/numpy_dtype.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/class_names.h"
#include "leat/datasets/formats/mds/python_json.h"
#include "leat/datasets/io/utf8.h"

namespace leat::detail {

namespace {

std::string dtype_name(const Field& field) {
  if (field.dtype == DType::bf16) throw ArgumentError(fmt::format("field '{}': MDS has no bf16", field.name));
  return std::string(numpy_name(field.dtype == DType::boolean ? DType::u8 : field.dtype));  // MDS has no bool
}

std::string shape_text(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, ","));
}

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

// Returns the header of an ndarray whose column does not state the shape: the number of dimensions and the width of
// an extent, then the extents.
std::vector<std::byte> shape_head(const Field& field, std::size_t value_bytes) {
  Shape shape = field.shape;
  shape.insert(shape.begin(), value_bytes / field.element_bytes());
  if (shape[0] == 0)
    throw ArgumentError(fmt::format("field '{}': MDS cannot hold an empty array", field.name));
  const std::uint64_t greatest = *std::ranges::max_element(shape);
  const unsigned power = greatest < 1U << 8                  ? 0
                         : greatest < 1U << 16               ? 1
                         : greatest < std::uint64_t{1} << 32 ? 2
                                                             : 3;
  std::vector<std::byte> head{static_cast<std::byte>(shape.size() << 2 | power)};
  for (const std::uint64_t extent : shape) append(head, &extent, std::size_t{1} << power);
  return head;
}

// Throws ArgumentError if the text is not UTF-8: Python's reader would fail.
void check_text(const std::string& name, std::span<const std::byte> value) {
  if (is_utf8({reinterpret_cast<const char*>(value.data()), value.size()})) return;
  throw ArgumentError(fmt::format("field '{}': its text is not UTF-8, which MDS demands", name));
}

class MdsShard final : public ShardBuilder {
 public:
  MdsShard(DurableFile& file, const std::string& config) : file_(file), config_(config) {}

  std::uint64_t bytes_with(const EncodedSample& sample) const override {
    return head_bytes(bodies_.size() + 1) + body_bytes_ + sample.bytes.size();
  }

  void add(EncodedSample sample) override {
    body_bytes_ += sample.bytes.size();
    bodies_.push_back(std::move(sample.bytes));
  }

  void finish() override {
    std::vector<std::uint32_t> head{static_cast<std::uint32_t>(bodies_.size())};
    std::uint64_t offset = head_bytes(bodies_.size());
    for (const auto& body : bodies_) {
      head.push_back(static_cast<std::uint32_t>(offset));
      offset += body.size();
    }
    head.push_back(static_cast<std::uint32_t>(offset));
    file_.write(std::as_bytes(std::span(head)));
    file_.write(std::as_bytes(std::span(config_)));
    for (const auto& body : bodies_) file_.write(body);
  }

 private:
  std::uint64_t head_bytes(std::uint64_t samples) const {
    return sizeof(std::uint32_t) * (samples + 2) + config_.size();
  }

  DurableFile& file_;
  const std::string& config_;
  std::vector<std::vector<std::byte>> bodies_;
  std::uint64_t body_bytes_ = 0;
};

}  // namespace

std::string MdsShardWriter::encoding_of(const RecordSchema& schema, std::size_t field) {
  const Field& wanted = schema.fields()[field];
  switch (schema.content(field)) {
    case Content::text:
      return "str";
    case Content::bytes:
      return "bytes";
    case Content::jpeg:
      return "jpeg";
    default:
      break;
  }
  const std::string dtype = dtype_name(wanted);
  if (wanted.is_ragged()) return "ndarray:" + dtype;
  if (!wanted.shape.empty()) return "ndarray:" + dtype + ":" + shape_text(wanted.shape);
  return wanted.dtype == DType::i64 ? "int" : dtype;
}

MdsShardWriter::MdsShardWriter(RecordSchema schema, std::uint64_t shard_bytes) : schema_(std::move(schema)) {
  for (std::size_t field = 0; field < schema_.size(); ++field) {
    const Field& wanted = schema_.fields()[field];
    columns_.push_back(
        {field, wanted.name, encoding_of(schema_, field), wanted.is_ragged() ? 0 : wanted.row_bytes()});
  }
  std::ranges::sort(columns_, {}, &Column::name);
  std::vector<std::string> names, encodings, sizes;
  for (const Column& column : columns_) {
    names.push_back(python_json_string(column.name));
    encodings.push_back(python_json_string(column.encoding));
    sizes.push_back(column.bytes == 0 ? "null" : fmt::format("{}", column.bytes));
  }
  const std::string head =
      fmt::format(R"("column_encodings": [{}], "column_names": [{}], "column_sizes": [{}], )"
                  R"("compression": null, "format": "mds", "hashes": [], )",
                  fmt::join(encodings, ", "), fmt::join(names, ", "), fmt::join(sizes, ", "));
  const std::string tail = fmt::format(R"("size_limit": {}, "version": 2)", shard_bytes);
  config_ = fmt::format("{{{}{}}}", head, tail);
  index_entry_ = head;
  size_limit_ = shard_bytes;
  classes_ = class_names_text(schema_);
}

EncodedSample MdsShardWriter::encode(const Record& sample, std::size_t index) const {
  (void)index;  // samples have no names of their own
  EncodedSample encoded;
  std::vector<std::byte> values;
  for (const Column& column : columns_) {
    const std::vector<std::byte>& value = sample.fields.at(column.field);
    if (column.encoding == "str") check_text(column.name, value);
    std::vector<std::byte> head;
    if (column.encoding.starts_with("ndarray") && column.bytes == 0) {
      head = shape_head(schema_.fields()[column.field], value.size());
    }
    if (column.bytes == 0) {
      const std::size_t size = checked_add(head.size(), value.size());
      if (size > max_shard_bytes()) throw ArgumentError(fmt::format("field '{}' is too long", column.name));
      const auto stored = static_cast<std::uint32_t>(size);
      append(encoded.bytes, &stored, sizeof stored);
    }
    values.insert(values.end(), head.begin(), head.end());
    values.insert(values.end(), value.begin(), value.end());
  }
  encoded.bytes.insert(encoded.bytes.end(), values.begin(), values.end());
  encoded.raw_bytes = encoded.bytes.size();
  return encoded;
}

std::string MdsShardWriter::shard_name(std::size_t shard) const {
  return fmt::format("shard.{:05}.mds", shard);
}

std::unique_ptr<ShardBuilder> MdsShardWriter::begin(std::size_t shard, DurableFile& file) const {
  (void)shard;  // the file's name states it
  return std::make_unique<MdsShard>(file, config_);
}

void MdsShardWriter::write_index(const std::filesystem::path& folder,
                                 std::span<const ShardSummary> shards) const {
  std::vector<std::string> entries;
  for (const ShardSummary& shard : shards) {
    entries.push_back(fmt::format(
        R"({{{}"raw_data": {{"basename": "{}", "bytes": {}, "hashes": {{}}}}, "samples": {}, "size_limit": {}, )"
        R"("version": 2, "zip_data": null}})",
        index_entry_, shard.file, shard.bytes, shard.samples, size_limit_));
  }
  write_class_names(folder, classes_);
  write_durably(folder / "index.json",
                fmt::format(R"({{"shards": [{}], "version": 2}})", fmt::join(entries, ", ")));
}

}  // namespace leat::detail
