#include "leat/loader/slots/arena_pages.h"

#include <algorithm>
#include <array>

namespace leat::detail {

void ArenaPages::manage(const SharedMemory& memory, Extent region, Word* taken) noexcept {
  memory_ = &memory;
  region_ = region;
  taken_ = taken;
}

bool ArenaPages::take(std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  const auto offset = static_cast<std::size_t>(bytes.data() - memory_->bytes().data()) - region_.offset;
  std::size_t first = offset / kChunk, last = (offset + bytes.size() - 1) / kChunk + 1;
  while (first < last && is_taken(first)) ++first;
  while (first < last && is_taken(last - 1)) --last;
  return first == last || take_chunks(first, last);
}

bool ArenaPages::is_taken(std::size_t chunk) const {
  return (taken_[chunk / 64].load(std::memory_order_acquire) >> chunk % 64 & 1) != 0;
}

bool ArenaPages::take_chunks(std::size_t first, std::size_t last) {
  const std::size_t begin = first * kChunk, end = std::min(last * kChunk, region_.bytes);
  const std::array<Extent, 1> chunks{Extent{region_.offset + begin, end - begin}};
  if (!memory_->try_take(chunks)) return false;
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    taken_[chunk / 64].fetch_or(std::uint64_t{1} << chunk % 64);
  }
  return true;
}

}  // namespace leat::detail
