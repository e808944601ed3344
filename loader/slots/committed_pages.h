// Which of the slots' memory for ragged rows is committed: it is addresses alone until rows are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leat/datasets/base/row_memory.h"
#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"

namespace leat::detail {

// A bit for each block of a region, in shared memory. Workers take what they are about to write; a block that two take
// at once, or that a worker took just before it died, is taken once more, which changes nothing. Thread-safe.
class CommittedPages final : public RowMemory {
 public:
  using Word = SharedAtomic<std::uint64_t>;
  static constexpr std::size_t kBlock = std::size_t{256}
                                        << 10;  // bytes: to ask how much is left takes a while

  // Of the bits of a region of so many bytes.
  static std::size_t words(std::size_t bytes) noexcept { return bytes / kBlock / 64 + 1; }

  // `taken` are words() zeros, shared; `memory` is reserved, and the region in it begins with a page.
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
