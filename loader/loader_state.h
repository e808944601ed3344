/// \file
/// The state of a loader, to be saved with a checkpoint of the training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "leat/datasets/export.h"
#include "leat/loader/position_set.h"

namespace leat {

/// A place in a loader's sequence of epochs. It is a value: the loader's progress does not change it. It counts the
/// batches that next() has delivered, or thrown an error in place of, not those that were prefetched. It is small,
/// whatever the size of the dataset.
struct LEAT_EXPORT LoaderState {
  /// Version of the JSON text.
  static constexpr int kVersion = 2;

  std::uint64_t epoch = 0;  ///< epoch that next() goes on with, or begins
  std::size_t batches = 0;  ///< batches of the epoch that were delivered on this rank
  std::size_t samples = 0;  ///< samples planned in these batches

  /// The batches delivered out of order, beyond `batches`: the rows of each number.
  std::map<std::size_t, std::size_t> ahead = {};

  /// What was delivered before the batch size or the world size last changed in this epoch; empty if neither has.
  struct Earlier {
    PositionSet consumed = {};  ///< consumed positions of the order that all ranks share
    std::size_t batches = 0;    ///< batches delivered on this rank, counted in LoaderState::batches
    std::size_t samples = 0;    ///< samples in them, counted in LoaderState::samples

    /// Compares all members.
    friend bool operator==(const Earlier&, const Earlier&) = default;
  };
  Earlier earlier = {};  ///< what other batch and world sizes have consumed of this epoch

  // What the order of samples depends on: DataLoader::restore() refuses a state that differs in one of these three.

  std::string order = {};        ///< what Sampler::fingerprint() or BatchSampler::fingerprint() returned
  std::uint64_t seed = 0;        ///< seed of the loader, and so of every sample's generator
  std::size_t dataset_size = 0;  ///< number of samples of the dataset

  // How the order is divided: a state may be restored with other values, see DataLoader::restore().

  std::size_t world_size = 1;  ///< number of ranks
  std::size_t rank = 0;        ///< this rank
  std::size_t batch_size = 0;  ///< samples per batch; 0 if a batch sampler makes up the batches

  /// Returns one line of JSON:
  ///
  ///     {"leat_loader_state":2,"epoch":3,"batches":17,"samples":4352,"ahead":{},
  ///      "earlier":{"consumed":[[0,1024]],"batches":4,"samples":1024},"order":"random: 50000 samples, seed 1",
  ///      "seed":1,"dataset_size":50000,"world_size":1,"rank":0,"batch_size":256}
  ///
  /// Throws ArgumentError if `order` is not UTF-8.
  std::string to_json() const;

  /// Reads what to_json() returns. Throws DataError that names what is missing, of the wrong type, out of range, or
  /// of another version.
  static LoaderState from_json(const std::string& text);

  /// Compares all members.
  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

}  // namespace leat
