#include "leat/loader/slots/committed_pages.h"

#include <algorithm>
#include <array>

namespace leat::detail {

void CommittedPages::manage(const SharedMemory& memory, Extent region, Word* taken) noexcept {
  memory_ = &memory;
  region_ = region;
  taken_ = taken;
}

bool CommittedPages::take(std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  const auto offset = static_cast<std::size_t>(bytes.data() - memory_->bytes().data()) - region_.offset;
  std::size_t first = offset / kBlock, last = (offset + bytes.size() - 1) / kBlock + 1;
  while (first < last && is_taken(first)) ++first;
  while (first < last && is_taken(last - 1)) --last;
  return first == last || take_blocks(first, last);
}

bool CommittedPages::is_taken(std::size_t block) const {
  return (taken_[block / 64].load(std::memory_order_acquire) >> block % 64 & 1) != 0;
}

bool CommittedPages::take_blocks(std::size_t first, std::size_t last) {
  const std::size_t begin = first * kBlock, end = std::min(last * kBlock, region_.bytes);
  const std::array<Extent, 1> blocks{Extent{region_.offset + begin, end - begin}};
  if (!memory_->try_take(blocks)) return false;
  for (std::size_t block = first; block < last; ++block) {
    taken_[block / 64].fetch_or(std::uint64_t{1} << block % 64);
  }
  return true;
}

}  // namespace leat::detail
