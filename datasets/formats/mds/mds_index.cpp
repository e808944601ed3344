#include "leat/datasets/formats/mds/mds_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/read_file.h"

namespace leat::detail {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxIndex = std::size_t{256} << 20;
constexpr std::uint64_t kMaxShard = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kVersion = 2;

void check_encoding(const MdsColumn& column, const std::string& source) {
  const Encoding& encoding = column.encoding;
  const auto refuse = [&](const std::string& problem) {
    throw DataError(source, fmt::format("column '{}' {}", column.name, problem));
  };
  if (encoding.kind == Encoding::number && column.bytes != size_of(encoding.dtype))
    refuse(fmt::format("is {}, whose size is {}", to_string(encoding), size_of(encoding.dtype)));
  const bool is_unread =
      encoding.name == "pkl" || encoding.name.starts_with("ndarray:");  // reported when it is read
  if (encoding.kind == Encoding::other && !is_unread)
    refuse(fmt::format("has the encoding '{}', which is not known", encoding.name));
}

// "jpeg:90" says how the writer encoded images, which readers need not know.
Encoding encoding_of(const std::string& name) {
  if (name.starts_with("jpeg:")) return Encoding::jpeg;
  return parse_encoding(name == "jpegarray" ? "jpeg_array" : name);
}

std::optional<std::uint32_t> column_bytes(const json& size, const std::string& source) {
  if (size.is_null()) return std::nullopt;
  if (!size.is_number_unsigned() || size.get<std::uint64_t>() > kMaxShard) {
    throw DataError(source, "'column_sizes' holds what is neither a size nor null");
  }
  return size.get<std::uint32_t>();
}

std::vector<MdsColumn> columns_of(const json& shard, const std::string& source) {
  const json& names = array_member(shard, "column_names", source);
  const json& encodings = array_member(shard, "column_encodings", source);
  const json& sizes = array_member(shard, "column_sizes", source);
  if (names.size() != encodings.size() || names.size() != sizes.size() || names.empty()) {
    throw DataError(source, fmt::format("{} names, {} encodings and {} sizes of columns", names.size(),
                                        encodings.size(), sizes.size()));
  }
  std::vector<MdsColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string() || !encodings[i].is_string())
      throw DataError(source, "a column's name is no string");
    columns.push_back({names[i].get<std::string>(), encoding_of(encodings[i].get<std::string>()),
                       column_bytes(sizes[i], source)});
    check_encoding(columns.back(), source);
  }
  return columns;
}

bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && name.find('\0') == std::string::npos && path.is_relative() &&
         std::ranges::none_of(path, [](const auto& part) { return part == ".." || part.empty(); });
}

MdsFile file_of(const json& data, const std::string& source) {
  MdsFile file{string_member(data, "basename", source), number_member(data, "bytes", source)};
  if (!stays_below(file.name)) {
    throw DataError(source, fmt::format("the file name '{}' leads out of the dataset's folder", file.name));
  }
  if (file.bytes > kMaxShard)
    throw DataError(source, fmt::format("a file of {} bytes; shards have less than 4 GiB", file.bytes));
  return file;
}

MdsShard shard_of(const json& object, const std::string& source) {
  if (number_member(object, "version", source) != kVersion ||
      string_member(object, "format", source) != "mds") {
    throw DataError(source, "it is no MDS shard of version 2");
  }
  MdsShard shard{.samples = number_member(object, "samples", source),
                 .raw = file_of(member(object, "raw_data", source), source),
                 .zip = {}};
  if (shard.samples > kMaxShard / 4) throw DataError(source, fmt::format("{} samples", shard.samples));
  if (const auto zip = object.find("zip_data"); zip != object.end() && !zip->is_null()) {
    const std::string compression = string_member(object, "compression", source);
    if (compression != "zstd" && !compression.starts_with("zstd:")) {
      throw DataError(source, fmt::format("the compression '{}'; zstd alone is read", compression));
    }
    shard.zip = file_of(*zip, source);
  }
  return shard;
}

}  // namespace

MdsIndex read_mds_index(const std::filesystem::path& file) {
  std::vector<std::byte> bytes;
  read_file(file, kMaxIndex, bytes);
  const json index = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
  if (number_member(index, "version", file.string()) != kVersion) {
    throw DataError(file.string(), "it is no MDS index of version 2");
  }
  MdsIndex result;
  for (const json& object : array_member(index, "shards", file.string())) {
    const std::string source = fmt::format("{}, shard {}", file.string(), result.shards.size());
    result.shards.push_back(shard_of(object, source));
    std::vector<MdsColumn> columns = columns_of(object, source);
    if (result.columns.empty())
      result.columns = std::move(columns);
    else if (columns != result.columns)
      throw DataError(source, "its columns are not those of the first shard");
  }
  return result;
}

}  // namespace leat::detail
