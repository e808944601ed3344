// Whether all of a set of records is as it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace leat {

struct BadRecords {
  std::size_t first = 0;  // in the set
  std::size_t count = 0;  // 0: the shard's records are sound, but bytes between or beside them are not
  std::string source;
  std::string reason;
};

// Reads everything: header, schema, dictionary and index of each shard, each record (checksum, unpacking, lengths),
// and each file's checksum where the manifest holds one. Records in the set's order. `progress`, if there is one, is
// told the number of records behind it. Throws DataError where the manifest itself is missing or breaks a rule,
// SystemError where reading fails.
std::vector<BadRecords> verify_records(const std::filesystem::path& path,
                                       const std::function<void(std::size_t records)>& progress = {});

}  // namespace leat
