#include "leat/datasets/combinators/scratch_sample.h"

#include <bit>
#include <memory>
#include <new>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"

namespace leat::detail {

namespace {

struct Block {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;
};

// The blocks of a thread. The first `used` blocks belong to samples that exist.
struct Blocks {
  std::vector<Block> blocks;
  std::size_t used = 0;

  std::byte* take(std::size_t bytes) {
    if (used == blocks.size()) blocks.emplace_back();
    Block& block = blocks[used];
    if (block.bytes < bytes) {
      block = {};  // frees the old memory first
      block = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
    }
    ++used;
    return block.memory.get();
  }
};

thread_local Blocks blocks_of_thread;

// Throws MemoryError.
std::byte* memory_for(std::size_t bytes) {
  try {
    return blocks_of_thread.take(bytes);
  } catch (const std::bad_alloc&) {
    throw memory_error("one sample of the dataset that is mapped", bytes);
  }
}

}  // namespace

ScratchLayout::ScratchLayout(const Schema& schema) {
  for (std::size_t field = 0; field < schema.size(); ++field) {
    offsets.push_back(bytes);
    bytes = checked_add(bytes, align_up(schema.row_bytes(field), __STDCPP_DEFAULT_NEW_ALIGNMENT__));
  }
}

ScratchSample::ScratchSample(const Schema& schema, const ScratchLayout& layout) : schema_(&schema) {
  std::byte* const memory = memory_for(layout.bytes);
  for (std::size_t field = 0; field < schema.size(); ++field)
    columns_[field] = memory + layout.offsets[field];
  const auto ragged = static_cast<std::size_t>(std::popcount(schema.ragged_fields()));
  for (std::size_t i = 0; i < ragged; ++i) {
    columns_[schema.size() + i] = reinterpret_cast<std::byte*>(&row_offsets_[2 * i]);
  }
}

ScratchSample::~ScratchSample() {
  --blocks_of_thread.used;
}

}  // namespace leat::detail
