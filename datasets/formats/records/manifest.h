// The manifest of a record set, leat-records.json, which lists the shards (docs/record-format.md, "Manifest").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/record_schema.h"

namespace leat::detail {

inline constexpr const char* kManifestName = "leat-records.json";

struct ManifestShard {
  std::string file;  // in the manifest's folder
  std::size_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t checksum = 0;  // xxh3 of the file
};

struct Manifest {
  RecordSchema schema;
  std::vector<ManifestShard> shards;

  std::size_t samples() const;
};

std::string to_json(const Manifest& manifest);

// Throws DataError starting with `source` if the text is not a manifest.
Manifest parse_manifest(std::string_view text, const std::string& source);

// Reads the manifest of a folder. Throws DataError if there is none: the set was not finished, or the folder is not a
// record set.
Manifest read_manifest(const std::filesystem::path& folder);

// Whether the folder holds a manifest, valid or not.
bool has_manifest(const std::filesystem::path& folder);

}  // namespace leat::detail
