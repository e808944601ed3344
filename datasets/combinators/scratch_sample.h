// Temporary memory for one sample, such as the one that a Map reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/sample_writer.h"
#include "leat/datasets/schema.h"

namespace leat::detail {

// The offsets of a sample's fields in one block of memory.
struct ScratchLayout {
  explicit ScratchLayout(const Schema& schema);

  std::vector<std::size_t> offsets;  // one per field
  std::size_t bytes = 0;
};

// Belongs to the thread that makes it, and must be destroyed before the thread's older ones (nested maps have one
// each). The thread keeps the memory and uses it again, so that nothing is allocated in the long run. The memory is
// not cleared: it holds whatever was there before.
class ScratchSample {
 public:
  ScratchSample(const Schema& schema, const ScratchLayout& layout);
  ScratchSample(const ScratchSample&) = delete;
  ScratchSample& operator=(const ScratchSample&) = delete;
  ~ScratchSample();

  SampleWriter writer() const noexcept { return {*schema_, columns_, 0}; }

 private:
  const Schema* schema_;
  std::array<std::byte*, 2 * Schema::kMaxFields> columns_;
  std::array<std::int64_t, 2 * Schema::kMaxFields> row_offsets_;
};

}  // namespace leat::detail
