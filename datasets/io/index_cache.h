// Indexes that were made by reading through a file once, kept for the next time.
//
// An index file is: "LEATIDX1", u32 length of the kind, the kind, u64 size and i64 time of change (ns) of the indexed
// file, u64 length of the payload, the payload, u32 CRC-32C of all before it; little-endian.
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

  // The payload for `file` as it is now: the one that was kept, or the one that `make` returns, which is then kept. A
  // kept index that is damaged, or of a file with another size or time of change, is made anew. `accept` is given a
  // payload and throws DataError where it is not sound; what it throws about a payload just made is passed on.
  void use(const FileReader& file, const std::function<std::vector<std::byte>()>& make,
           const std::function<void(std::span<const std::byte>)>& accept) const;

  // Where the index of `file` is kept; empty where nowhere.
  std::filesystem::path path_for(const FileReader& file) const;

 private:
  bool load(const FileReader& file, const std::function<void(std::span<const std::byte>)>& accept) const;
  void store(const FileReader& file, std::span<const std::byte> payload) const;

  std::string kind_;
  IndexOptions options_;
};

}  // namespace leat::detail
