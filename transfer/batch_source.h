/// \file
/// The source of a prefetcher's batches: a data loader, or anything that behaves like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/batch_layout.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/loader_state.h"

namespace leat {

class DataLoader;

/// Functions that deliver batches, and the properties of these batches that a prefetcher needs to know.
///
/// The functions are called by one thread at a time: the prefetcher's.
struct LEAT_EXPORT BatchSource {
  /// Returns the next batch, or nullopt at the end of the epoch; the call after that begins the next epoch. May throw,
  /// as DataLoader::next() does; after a SampleError the epoch goes on.
  std::function<std::optional<HostBatch>()> next;

  /// Begins an epoch, as DataLoader::start_epoch() does.
  std::function<void(std::uint64_t epoch)> start_epoch;

  std::function<LoaderState()> state;  ///< returns the state from which next() goes on; may be empty
  BatchLayout layout;                  ///< the layout of every batch
  std::size_t max_held_batches = 1;    ///< greatest number of batches held when next() is called
  /// Parts of the batches' memory, which are page-locked: whole pages that have memory. May be empty.
  std::vector<std::span<std::byte>> memory;
  std::shared_ptr<const void> keeper;  ///< keeps `memory` alive

  /// Returns the batches of a loader. The loader outlives the source, but may be moved. While the source is in use,
  /// only the source may call the loader's members.
  static BatchSource of(DataLoader& loader);
};

}  // namespace leat
