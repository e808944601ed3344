// MDS datasets, byte by byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace leat::test {

struct MdsColumns {
  std::string names;  // JSON arrays
  std::string encodings;
  std::string sizes;
};

// A shard file whose samples have these bodies.
std::string mds_shard(const MdsColumns& columns, const std::vector<std::string>& bodies);

// The shard's entry in the index; `zip_bytes` > 0: it is compressed to <name>.zstd.
std::string mds_entry(const MdsColumns& columns, std::size_t samples, std::string_view name,
                      std::size_t bytes, std::size_t zip_bytes = 0);

std::string mds_index(const std::vector<std::string>& entries);

// The columns and samples of the reference vector: x bytes, y int; ("hi", 7), ("abc", -1).
MdsColumns vector_columns();
std::vector<std::string> vector_bodies();

std::string zstd_compressed(std::string_view content);

}  // namespace leat::test
