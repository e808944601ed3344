// Memory of all ranks that every rank has mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "leat/parallel/local/rendezvous_memory.h"
#include "leat/parallel/shared_memory/memory_file.h"

namespace leat::detail {

// A part of the same size of each rank's file. Other ranks may have it mapped when it is destroyed.
class SharedRegion {
 public:
  // What becomes of the pages of this rank's part when it is destroyed: they stay until the file ends, for memory that
  // other ranks may read after this rank has left a collective; or they are given back, for memory with which every
  // collective ends on all ranks at once.
  enum class Pages { stay, are_given_back };

  // The part of `file` at `offset` is this rank's own.
  SharedRegion(std::uint64_t number, std::shared_ptr<const MemoryFile> file, std::size_t offset,
               std::size_t bytes, int rank, int ranks, Pages pages = Pages::are_given_back);
  ~SharedRegion() {
    if (pages_ == Pages::are_given_back) file_->release(offset_, bytes_);
  }
  SharedRegion(const SharedRegion&) = delete;
  SharedRegion& operator=(const SharedRegion&) = delete;

  std::uint64_t number() const noexcept { return number_; }
  std::size_t bytes() const noexcept { return bytes_; }
  std::byte* own() const noexcept { return part_of(rank_); }
  std::byte* part_of(int rank) const noexcept { return parts_[static_cast<std::size_t>(rank)].data(); }

  void map_peer(int rank, const MemoryFile& file);  // which has a part at the same offset

 private:
  const std::uint64_t number_;                    // equal on all ranks
  const std::shared_ptr<const MemoryFile> file_;  // shared with the engine, which may end before the region
  const std::size_t offset_;
  const std::size_t bytes_;
  const int rank_;
  const Pages pages_;
  std::vector<Mapping> parts_;  // of each rank
};

// Finds the region that contains an address. Regions belong to the buffers that were returned to the user, who may
// destroy them at any time, on any thread. Thread-safe.
class SharedRegions {
 public:
  void add(const std::shared_ptr<SharedRegion>& region);

  // Returns the region that contains all of the bytes in this rank's part, or null.
  std::shared_ptr<SharedRegion> find(const void* data, std::size_t bytes);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<SharedRegion>> regions_;  // guarded by mutex_
};

}  // namespace leat::detail
