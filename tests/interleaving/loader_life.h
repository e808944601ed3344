// A DataLoader's life in a simulation, and what must hold of it under every schedule: batches come in order, once
// each, whole, with no byte of another epoch; only bad samples are blamed; nobody writes to a slot that the user
// holds; all slots come back; nobody waits for ever.
#pragma once

#include <cstddef>

#include "leat/loader/data_loader.h"
#include "tests/interleaving/explore.h"
#include "tests/interleaving/stepped_dataset.h"

namespace leat::interleaving {

struct LoaderLife {
  std::size_t batches = 2;  // of an epoch
  std::size_t rows = 2;     // of a batch
  std::size_t prefetch_factor = 1;
  std::size_t max_held_batches = 1;
  std::size_t held = 0;  // batches that the user keeps while waiting for the next
  SampleErrorPolicy on_bad_sample = SampleErrorPolicy::raise;
  bool in_order = true;
  BadOnes bad = {};
  std::size_t spare_slots = 0;
  bool memory_is_short = false;  // for spare slots
};

// Runs in the parent of a simulation.
void live(const LoaderLife& life, const Machine& machine);

}  // namespace leat::interleaving
