// Stores indexes that were made by reading through a file once, for the next time.
//
// An index file is: "LEATIDX1", u32 length of the kind, the kind, u64 size and i64 modification time (ns) of the
// indexed file, u64 length of the payload, the payload, u32 CRC-32C of everything before it; little-endian.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/index_options.h"
#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

class IndexCache {
 public:
  // `kind` names the payload's layout and version; it appears in file names.
  IndexCache(std::string kind, IndexOptions options);

  // Passes the payload for `file` as it is now to `accept`: the stored payload, or the one that `make` returns, which
  // is then stored. A stored index is made again if it is damaged, or if the file has another size or modification
  // time. `accept` throws DataError if the payload is invalid. If the payload was just made, the error is passed on.
  void use(const FileReader& file, const std::function<std::vector<std::byte>()>& make,
           const std::function<void(std::span<const std::byte>)>& accept) const;

  // Returns where the index of `file` is stored; empty if indexes are not stored.
  std::filesystem::path path_for(const FileReader& file) const;

 private:
  bool load(const FileReader& file, const std::function<void(std::span<const std::byte>)>& accept) const;
  void store(const FileReader& file, std::span<const std::byte> payload) const;

  std::string kind_;
  IndexOptions options_;
};

}  // namespace leat::detail
