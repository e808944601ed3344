// The list of a set's shards: leat-records.json (docs/record-format.md, "Manifest").
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

// Throws DataError starting with `source`, where the text is no manifest.
Manifest parse_manifest(std::string_view text, const std::string& source);

// That of a folder. Throws DataError where there is none: the set was not finished, or is none.
Manifest read_manifest(const std::filesystem::path& folder);

// Whether the folder holds one, sound or not.
bool has_manifest(const std::filesystem::path& folder);

}  // namespace leat::detail
