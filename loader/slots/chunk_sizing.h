// ChunkSizing: chooses how many rows a worker claims at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/datasets/base/checked.h"

namespace leat::detail {

// A chunk has as few rows as possible, but enough that the cost of a claim is small compared with the work. If
// samples are slow, a chunk is one row: then all workers build the next batch together, and a slow sample delays no
// other sample. If samples are tiny, a chunk may be a worker's whole share of the batch. Until the first measurement,
// samples count as slow.
struct ChunkSizing {
  static constexpr std::uint64_t kWorthAClaim = 100'000;  // ns of work per claim; a claim takes about 100 ns
  static constexpr std::size_t kMaxChunks = 1024;         // chunks per batch

  static std::size_t max_chunks(std::size_t batch_size, std::size_t workers) noexcept {
    return workers == 0 ? 1 : std::min(batch_size, kMaxChunks);
  }

  static std::size_t rows_per_chunk(std::size_t batch_size, std::size_t workers,
                                    std::uint64_t ns_per_sample) noexcept {
    if (workers == 0) return batch_size;
    const std::size_t least = divide_up(batch_size, kMaxChunks);
    const std::size_t most = divide_up(batch_size, workers);
    const std::size_t wanted = ns_per_sample == 0 ? 1 : kWorthAClaim / ns_per_sample;
    return std::clamp(wanted, least, std::max(least, most));
  }
};

}  // namespace leat::detail
