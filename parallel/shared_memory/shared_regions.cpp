#include "leat/parallel/shared_memory/shared_regions.h"

#include <functional>
#include <utility>

namespace leat::detail {

SharedRegion::SharedRegion(std::uint64_t number, std::shared_ptr<const MemoryFile> file, std::size_t offset,
                           std::size_t bytes, int rank, int ranks, Pages pages)
    : number_(number),
      file_(std::move(file)),
      offset_(offset),
      bytes_(bytes),
      rank_(rank),
      pages_(pages),
      parts_(static_cast<std::size_t>(ranks)) {
  parts_[static_cast<std::size_t>(rank)] = file_->map(offset_, bytes_);
}

void SharedRegion::map_peer(int rank, const MemoryFile& file) {
  parts_[static_cast<std::size_t>(rank)] = file.map(offset_, bytes_);
}

void SharedRegions::add(const std::shared_ptr<SharedRegion>& region) {
  const std::lock_guard lock(mutex_);
  std::erase_if(regions_, [](const auto& known) { return known.expired(); });
  regions_.push_back(region);
}

std::shared_ptr<SharedRegion> SharedRegions::find(const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  const std::less<> before;
  const std::lock_guard lock(mutex_);
  for (const auto& known : regions_) {
    auto region = known.lock();
    if (!region || before(first, region->own()) || !before(first, region->own() + region->bytes())) continue;
    const auto offset = static_cast<std::size_t>(first - region->own());
    if (bytes <= region->bytes() - offset) return region;
  }
  return nullptr;
}

}  // namespace leat::detail
