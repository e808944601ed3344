// Where in its epochs a loader is: what to save with a checkpoint of the training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "leat/loader/position_set.h"

namespace leat {

/// A saved place in the sequence of epochs. It is a value: later iteration does not alter it. It counts what next()
/// has delivered (or thrown an error in the place of), not what has been prefetched. Small, whatever the size of the
/// dataset.
struct LoaderState {
  static constexpr int kVersion = 2;

  std::uint64_t epoch = 0;  // that the next call of next() goes on with, or begins
  std::size_t batches = 0;  // delivered of the epoch, on this rank
  std::size_t samples = 0;  // planned in those batches

  /// Batches delivered out of order, beyond `batches`: number to rows.
  std::map<std::size_t, std::size_t> ahead = {};

  /// What was delivered before the batch size or the world size last changed in this epoch; empty if neither has.
  struct Earlier {
    PositionSet consumed = {};  // positions of the order that all ranks share
    std::size_t batches = 0;    // on this rank, counted in LoaderState::batches
    std::size_t samples = 0;    // likewise

    friend bool operator==(const Earlier&, const Earlier&) = default;
  };
  Earlier earlier = {};

  /// What the order of samples depends on. DataLoader::restore() refuses a state that differs in one of these three.
  std::string order = {};        // Sampler::fingerprint() or BatchSampler::fingerprint()
  std::uint64_t seed = 0;        // of the loader, and so of every sample's generator
  std::size_t dataset_size = 0;  // samples

  /// How the order is divided. A state may be restored with other values: see DataLoader::restore().
  std::size_t world_size = 1;
  std::size_t rank = 0;
  std::size_t batch_size = 0;  // samples; 0 if a batch sampler makes up the batches

  /// One line of JSON:
  /// {"leat_loader_state":2,"epoch":3,"batches":17,"samples":4352,"ahead":{},
  ///  "earlier":{"consumed":[[0,1024]],"batches":4,"samples":1024},"order":"random: 50000 samples, seed 1","seed":1,
  ///  "dataset_size":50000,"world_size":1,"rank":0,"batch_size":256}
  ///
  /// Throws ArgumentError if `order` is not UTF-8.
  std::string to_json() const;

  /// Throws DataError that names what is missing, of the wrong type, out of range, or of another version.
  static LoaderState from_json(const std::string& text);

  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

}  // namespace leat
