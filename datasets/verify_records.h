/// \file
/// Verification of leat records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

/// A run of consecutive damaged records, or a damaged shard.
struct LEAT_EXPORT BadRecords {
  std::size_t first = 0;  ///< The index of the first record in the set.
  std::size_t count = 0;  ///< Number of records; 0: they are intact, but other bytes of the shard are not.
  std::string source;     ///< The shard, or the record in it.
  std::string reason;     ///< What is wrong.
};

/// Verifies a set of records and returns what is damaged, in the set's order. Reads everything: header, schema,
/// dictionary and index of each shard; checksum, compressed data and lengths of each record; and the checksum of each
/// file that the manifest lists. Calls `progress`, if it is not empty, with the number of records that are done.
/// Throws DataError if the manifest itself is missing or invalid, and SystemError if reading fails.
LEAT_EXPORT std::vector<BadRecords> verify_records(
    const std::filesystem::path& path, const std::function<void(std::size_t records)>& progress = {});

}  // namespace leat
