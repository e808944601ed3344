#include "leat/datasets/formats/records/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/records/schema_json.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/read_file.h"
#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxManifestBytes = std::size_t{256} << 20;
constexpr const char* kFormat = "leat-records";
constexpr std::size_t kVersion = 1;
constexpr const char* kChecksum = "xxh3";

std::uint64_t parse_checksum(const std::string& text, const std::string& source) {
  std::uint64_t checksum = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
  if (text.size() != 16 || error != std::errc() || stop != text.data() + text.size()) {
    throw DataError(source, fmt::format("'{}' is no checksum of 16 hexadecimal digits", text));
  }
  return checksum;
}

// Throws DataError if the name is a path, which would lead out of the folder.
void check_file_name(const std::string& name, const std::string& source) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    throw DataError(source, fmt::format("'{}' is no name of a file in this folder", name));
  }
}

ManifestShard read_shard(const json& object, const std::string& source) {
  if (!object.is_object()) throw DataError(source, "a shard is no JSON object");
  ManifestShard shard;
  shard.file = string_member(object, "file", source);
  check_file_name(shard.file, source);
  shard.samples = number_member(object, "samples", source);
  shard.bytes = number_member(object, "bytes", source);
  shard.raw_bytes = number_member(object, "raw_bytes", source);
  shard.checksum = parse_checksum(string_member(object, "xxh3", source), source);
  // Each record needs at least an entry of the index.
  if (shard.samples == 0 || shard.samples > shard.bytes / 24) {
    throw DataError(source, fmt::format("shard '{}' of {} bytes cannot hold {} samples", shard.file,
                                        shard.bytes, shard.samples));
  }
  return shard;
}

// Returns the checksum of the members, in the form in which to_text() writes them.
std::string checksum_text(const json& object) {
  const std::string text = to_text(object);
  return fmt::format("{:016x}", xxh3(std::as_bytes(std::span(text))));
}

// Checks the checksum, which covers the other members, and removes it. Manifests of older programs have none.
void take_checksum(json& object, const std::string& source) {
  if (!object.contains(kChecksum)) return;
  const std::string stated = string_member(object, kChecksum, source);
  object.erase(kChecksum);
  const std::string real = checksum_text(object);
  if (stated == real) return;
  throw DataError(
      source,
      fmt::format(
          "it is damaged, or was edited (then remove its member xxh3): its checksum is {}, and it states {}",
          real, stated));
}

}  // namespace

std::size_t Manifest::samples() const {
  std::size_t sum = 0;
  for (const ManifestShard& shard : shards) sum = checked_add(sum, shard.samples);
  return sum;
}

std::string to_json(const Manifest& manifest) {
  json shards = json::array();
  for (const ManifestShard& shard : manifest.shards) {
    shards.push_back({{"file", shard.file},
                      {"samples", shard.samples},
                      {"bytes", shard.bytes},
                      {"raw_bytes", shard.raw_bytes},
                      {"xxh3", fmt::format("{:016x}", shard.checksum)}});
  }
  json object{
      {"format", kFormat}, {"version", kVersion}, {"samples", manifest.samples()}, {"shards", shards}};
  write_schema(manifest.schema, object);
  object[kChecksum] = checksum_text(object);
  return to_text(object) + "\n";
}

Manifest parse_manifest(std::string_view text, const std::string& source) {
  json object = parse_json_object(text, source);
  if (string_member(object, "format", source) != kFormat) throw DataError(source, "it is of another format");
  if (const auto version = number_member(object, "version", source); version != kVersion) {
    throw DataError(source, fmt::format("it is of version {}; this program reads {}", version, kVersion));
  }
  take_checksum(object, source);
  Manifest manifest;
  manifest.schema = read_schema(object, source);
  const auto shards = object.find("shards");
  if (shards == object.end() || !shards->is_array()) throw DataError(source, "it lists no shards");
  for (const json& shard : *shards) manifest.shards.push_back(read_shard(shard, source));
  try {
    if (manifest.samples() == number_member(object, "samples", source)) return manifest;
  } catch (const ArgumentError& error) {
    throw DataError(source, error.what());
  }
  throw DataError(source, "the shards' samples do not add up to 'samples'");
}

Manifest read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestName;
  if (!has_manifest(folder)) {
    throw DataError(
        folder.string(),
        fmt::format("there is no {}: it holds no leat records, or they were not finished", kManifestName));
  }
  std::vector<std::byte> bytes;
  read_file(path, kMaxManifestBytes, bytes);
  return parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

bool has_manifest(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kManifestName, ignored);
}

}  // namespace leat::detail
