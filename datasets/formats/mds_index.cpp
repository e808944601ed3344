#include "leat/datasets/formats/mds_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/json_fields.h"
#include "leat/datasets/read_file.h"

namespace leat {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxIndex = std::size_t{256} << 20;
constexpr std::uint64_t kMaxShard = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kVersion = 2;

struct Scalar {
  std::string_view encoding;
  std::uint32_t bytes;
};
constexpr std::array<Scalar, 12> kScalars{{{"int", 8},
                                           {"uint8", 1},
                                           {"uint16", 2},
                                           {"uint32", 4},
                                           {"uint64", 8},
                                           {"int8", 1},
                                           {"int16", 2},
                                           {"int32", 4},
                                           {"int64", 8},
                                           {"float16", 2},
                                           {"float32", 4},
                                           {"float64", 8}}};
constexpr std::array<std::string_view, 13> kOthers{
    "bytes",   "str",       "json",        "jpeg",      "png",        "pil",      "jpeg_array",
    "str_int", "str_float", "str_decimal", "list[pil]", "list[jpeg]", "list[png]"};

void check_encoding(const MdsColumn& column, const std::string& source) {
  const std::string& encoding = column.encoding;
  if (encoding == "pkl" || encoding == "ndarray" || encoding.starts_with("ndarray:")) return;
  for (const Scalar& scalar : kScalars) {
    if (scalar.encoding != encoding) continue;
    if (column.bytes == scalar.bytes) return;
    throw DataError(source,
                    fmt::format("column '{}' is {}, whose size is {}", column.name, encoding, scalar.bytes));
  }
  if (std::ranges::find(kOthers, encoding) != kOthers.end()) return;
  throw DataError(
      source, fmt::format("column '{}' has the encoding '{}', which is not known", column.name, encoding));
}

// "jpeg:90" says how its writer encoded pictures, which readers need not know.
std::string usual_encoding(std::string encoding) {
  if (encoding.starts_with("jpeg:")) return "jpeg";
  if (encoding == "jpegarray") return "jpeg_array";
  return encoding;
}

std::optional<std::uint32_t> column_bytes(const json& size, const std::string& source) {
  if (size.is_null()) return std::nullopt;
  if (!size.is_number_unsigned() || size.get<std::uint64_t>() > kMaxShard) {
    throw DataError(source, "'column_sizes' holds what is neither a size nor null");
  }
  return size.get<std::uint32_t>();
}

std::vector<MdsColumn> columns_of(const json& shard, const std::string& source) {
  const json& names = detail::array_member(shard, "column_names", source);
  const json& encodings = detail::array_member(shard, "column_encodings", source);
  const json& sizes = detail::array_member(shard, "column_sizes", source);
  if (names.size() != encodings.size() || names.size() != sizes.size() || names.empty()) {
    throw DataError(source, fmt::format("{} names, {} encodings and {} sizes of columns", names.size(),
                                        encodings.size(), sizes.size()));
  }
  std::vector<MdsColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string() || !encodings[i].is_string())
      throw DataError(source, "a column's name is no string");
    columns.push_back({names[i].get<std::string>(), usual_encoding(encodings[i].get<std::string>()),
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
  MdsFile file{detail::string_member(data, "basename", source), detail::number_member(data, "bytes", source)};
  if (!stays_below(file.name)) {
    throw DataError(source, fmt::format("the file name '{}' leads out of the dataset's folder", file.name));
  }
  if (file.bytes > kMaxShard)
    throw DataError(source, fmt::format("a file of {} bytes; shards have less than 4 GiB", file.bytes));
  return file;
}

MdsShard shard_of(const json& object, const std::string& source) {
  if (detail::number_member(object, "version", source) != kVersion ||
      detail::string_member(object, "format", source) != "mds") {
    throw DataError(source, "it is no MDS shard of version 2");
  }
  MdsShard shard{.samples = detail::number_member(object, "samples", source),
                 .raw = file_of(detail::member(object, "raw_data", source), source),
                 .zip = {}};
  if (shard.samples > kMaxShard / 4) throw DataError(source, fmt::format("{} samples", shard.samples));
  if (const auto zip = object.find("zip_data"); zip != object.end() && !zip->is_null()) {
    const std::string compression = detail::string_member(object, "compression", source);
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
  const json index =
      detail::parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
  if (detail::number_member(index, "version", file.string()) != kVersion) {
    throw DataError(file.string(), "it is no MDS index of version 2");
  }
  MdsIndex result;
  for (const json& object : detail::array_member(index, "shards", file.string())) {
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

}  // namespace leat
