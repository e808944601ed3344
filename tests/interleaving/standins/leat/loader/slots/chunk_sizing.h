// Stands in for the loader's own header of this name, which measures time: a schedule must not depend on that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/interleaving/simulation.h"

namespace leat::detail {

struct ChunkSizing {
  static std::size_t max_chunks(std::size_t batch_size, std::size_t) { return batch_size; }
  static std::size_t rows_per_chunk(std::size_t, std::size_t, std::uint64_t) {
    return interleaving::Simulation::current().rows_per_chunk();
  }
};

}  // namespace leat::detail
