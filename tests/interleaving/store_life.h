// A store of samples that workers fill at once, in a simulation.
#pragma once

#include <cstddef>

#include "tests/interleaving/explore.h"

namespace leat::interleaving {

struct StoreLife {
  std::size_t samples = 2;   // that every worker wants, each in an order of its own
  std::size_t rooms = 16;    // there is place for so many
  bool memory_ends = false;  // at some moment
};

// Checks that what is found is whole, that no two writers had one room, that rooms are lost by deaths and by second
// writers alone, and that the store can be filled and read when the workers have ended.
void live(const StoreLife& life, const Machine& machine);

}  // namespace leat::interleaving
