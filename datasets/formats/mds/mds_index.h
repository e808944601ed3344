// index.json of an MDS dataset (MosaicML Streaming).
//
// {"version":2,"shards":[{"version":2,"format":"mds","samples":n,"column_names":[...],"column_encodings":[...],
//  "column_sizes":[bytes or null],"compression":null or "zstd[:level]","raw_data":{"basename":...,"bytes":n},
//  "zip_data":null or the same, ...}]}
// Source: mosaicml/streaming, streaming/base/format/mds/{reader,writer}.py.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/encoding.h"

namespace leat::detail {

struct MdsColumn {
  std::string name;
  Encoding encoding;
  std::optional<std::uint32_t> bytes;  // none: each sample states a size

  friend bool operator==(const MdsColumn&, const MdsColumn&) = default;
};

struct MdsFile {
  std::string name;  // below the dataset's folder; no part of it is ".."
  std::uint64_t bytes = 0;
};

struct MdsShard {
  std::uint64_t samples = 0;
  MdsFile raw;
  std::optional<MdsFile> zip;  // compressed with zstd
};

struct MdsIndex {
  std::vector<MdsColumn> columns;  // of every shard
  std::vector<MdsShard> shards;
};

// Throws DataError naming the file and the shard if the index has another version or format, names that lead out of
// the folder, columns that differ between shards, an encoding whose size is wrong, a compression that is not zstd, or
// shards of 4 GiB or more.
MdsIndex read_mds_index(const std::filesystem::path& file);

}  // namespace leat::detail
