// CommittedPages: tracks which parts of the slots' memory for ragged rows are committed. That memory is only reserved
// address space until rows are about to be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/base/row_memory.h"
#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"

namespace leat::detail {

// Holds a bit for each block of a region, in shared memory. Before workers write, they take (commit) the blocks that
// they are about to write. A block may be taken twice, which has no effect: if two workers take it at once, or if a
// worker died after it took the block and before it set the bit. Thread-safe.
class CommittedPages final : public RowMemory {
 public:
  using Word = SharedAtomic<std::uint64_t>;
  static constexpr std::size_t kBlock = std::size_t{256} << 10;  // bytes; large, as checking memory is slow

  // Returns the number of words that hold the bits of a region of `bytes` bytes.
  static std::size_t words(std::size_t bytes) noexcept { return bytes / kBlock / 64 + 1; }

  // Manages `region` of `memory`, which is reserved; the region starts at a page boundary. `taken` points to words()
  // zeros in shared memory.
  void manage(const SharedMemory& memory, Extent region, Word* taken) noexcept;

  bool take(std::span<const std::byte> bytes) override;

 private:
  bool is_taken(std::size_t block) const;
  bool take_blocks(std::size_t first, std::size_t last);

  const SharedMemory* memory_ = nullptr;
  Extent region_;
  Word* taken_ = nullptr;
};

}  // namespace leat::detail
