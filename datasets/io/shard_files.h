// Reads the shards of a dataset.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/io/descriptor_share.h"
#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

// Opens a shard when it is first read, and keeps it open if the process has a DescriptorShare left. Otherwise the shard
// is opened for each read. No read ever waits for another: thread-safe without a lock, and therefore safe to fork at
// any time.
class ShardFiles {
 public:
  // Called with a shard's number before it is opened, on the thread that reads. Makes the file if it does not exist
  // yet. May be called by several threads at once, and more than once.
  using Prepare = std::function<void(std::size_t shard)>;
  // Called with the opened file before its first read. Throws if the file is not as expected.
  using Check = std::function<void(std::size_t shard, const FileReader& file)>;

  explicit ShardFiles(std::vector<std::string> paths, Prepare prepare = {}, Check check = {});
  ~ShardFiles();
  ShardFiles(const ShardFiles&) = delete;
  ShardFiles& operator=(const ShardFiles&) = delete;

  std::size_t size() const noexcept { return paths_.size(); }
  const std::string& path(std::size_t shard) const { return paths_.at(shard); }

  // Read like FileReader's functions. Also throw what opening, prepare and check throw.
  void read(std::size_t shard, std::uint64_t offset, std::span<std::byte> bytes) const;
  void read(std::size_t shard, std::uint64_t offset, std::uint64_t count,
            std::vector<std::byte>& bytes) const;

  // Asks the kernel to fetch a part, without waiting for it. Opens the shard only if it will stay open and needs no
  // preparation. Errors are reported when the shard is read.
  void read_ahead(std::size_t shard, std::uint64_t offset, std::uint64_t count) const noexcept;

 private:
  struct KeptFile {
    DescriptorShare share;  // given back after the file is closed
    std::unique_ptr<const FileReader> file;
  };

  template <class Use>
  void with_file(std::size_t shard, const Use& use) const;
  std::unique_ptr<FileReader> open(std::size_t shard) const;
  void keep(std::size_t shard, std::unique_ptr<const FileReader> file, DescriptorShare share) const;

  std::vector<std::string> paths_;
  Prepare prepare_;
  Check check_;
  mutable std::vector<std::atomic<const KeptFile*>> files_;  // null: not kept open; owned
};

}  // namespace leat::detail
