// EpochSource: provides the batches of an epoch by the options' sampler or batch sampler, from the beginning or from
// a saved state on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/engine/epoch_planner.h"
#include "leat/loader/engine/resolved_options.h"
#include "leat/loader/loader_state.h"

namespace leat::detail {

// Used by one thread at a time. The dataset and the options outlive it.
class EpochSource {
 public:
  EpochSource(const Dataset& dataset, const DataLoaderOptions& options, const ResolvedLoaderOptions& resolved)
      : dataset_(dataset), options_(options), resolved_(resolved) {}

  std::size_t batches(std::uint64_t epoch) const { return order()->size(epoch); }

  EpochStart from_beginning(std::uint64_t epoch) const;
  EpochStart from(const LoaderState& state) const;  // throws ArgumentError; see DataLoader::restore()

  // Returns the state of a loader that began an epoch after `earlier` and has delivered `done`, which includes
  // `earlier`.
  LoaderState state(std::uint64_t epoch, const LoaderState::Earlier& earlier, const DeliveryLog& done) const;

 private:
  std::shared_ptr<const BatchSampler> order() const;
  std::shared_ptr<const Sampler> sampler() const;
  const std::string& fingerprint(std::uint64_t epoch, const BatchSampler& order) const;

  const Dataset& dataset_;
  const DataLoaderOptions& options_;
  const ResolvedLoaderOptions& resolved_;

  // Caches the fingerprint of the order for one epoch: a sampler may have to go through its order to compute it, and
  // a prefetcher asks for a state with each batch.
  mutable std::optional<std::uint64_t> fingerprint_epoch_;
  mutable std::string fingerprint_;
};

}  // namespace leat::detail
