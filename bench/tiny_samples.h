// 50,000 samples of 3,072 bytes and a label in memory, batches of 256, shuffled.
#pragma once

namespace leat::bench {

// The limit: threads that copy the same rows, in the same random order, into 8 slots in turn by memcpy.
void add_tiny_samples();

}  // namespace leat::bench
