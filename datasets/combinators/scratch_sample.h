// Memory for one sample that nobody is given: what a Map reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/sample_writer.h"
#include "leat/datasets/schema.h"

namespace leat::detail {

// Where the fields of a sample lie in memory of its own.
struct ScratchLayout {
  explicit ScratchLayout(const Schema& schema);

  std::vector<std::size_t> offsets;  // one per field
  std::size_t bytes = 0;
};

// Belongs to the thread that makes it, and ends before older ones of the thread do (nested maps have one each): the
// memory is the thread's, and used again, so that nothing is allocated in the long run. Holds whatever was there
// before.
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
