// The benchmark of tiny samples: 50,000 samples of 3,072 bytes and a label in memory, in shuffled batches of 256.
#pragma once

namespace leat::bench {

// The limit: threads that copy the same rows, in the same random order, with memcpy into 8 slots in turn.
void add_tiny_samples();

}  // namespace leat::bench
