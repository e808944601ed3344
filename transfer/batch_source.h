// Where a prefetcher gets its batches: a data loader, or anything that behaves like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "leat/loader/batch_layout.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/loader_state.h"

namespace leat {

class DataLoader;

// The functions are called by one thread at a time, the prefetcher's own, with the contracts of
// DataLoader::next() and DataLoader::start_epoch(): after a SampleError the epoch goes on, after the end the
// next call begins another.
struct BatchSource {
  std::function<std::optional<HostBatch>()> next;
  std::function<void(std::uint64_t epoch)> start_epoch;
  std::function<LoaderState()> state;  // where next() goes on; may be missing
  BatchLayout layout;                  // of every batch
  std::size_t leases = 1;              // batches that may be held while next() is called
  std::span<std::byte> memory;         // of the slots, to be page-locked; may be empty
  std::shared_ptr<const void> keeper;  // keeps `memory` alive

  /// The batches of a loader, which outlives the source; it may be moved meanwhile. Nobody else calls the loader's
  /// members while the source is in use.
  static BatchSource of(DataLoader& loader);
};

}  // namespace leat
