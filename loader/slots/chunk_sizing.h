// How many rows a worker claims at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/datasets/base/checked.h"

namespace leat::detail {

// As few as it takes to make a claim cheap beside the work: one row where samples are slow, so that all workers
// build the next batch together and a slow sample holds up nothing but itself; up to a worker's share of the
// batch where they are tiny. Before anything is measured samples count as slow.
struct ChunkSizing {
  static constexpr std::uint64_t kWorthAClaim = 100'000;  // ns of work; a claim takes about a hundred
  static constexpr std::size_t kMaxChunks = 1024;         // of one batch

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
