// Where in its epochs a loader is: what to save with a checkpoint of the training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace leat {

// A value: later iteration does not alter it. It counts what next() has delivered (or thrown an error in the
// place of), not what has been prefetched. Small, whatever the dataset's size.
struct LoaderState {
  static constexpr int kVersion = 1;

  std::uint64_t epoch = 0;  // that the next call of next() goes on with, or begins
  std::size_t batches = 0;  // of it, delivered
  std::size_t samples = 0;  // planned in those batches, on this rank
  // Out of order: the batches delivered beyond those, and how many samples each has.
  std::map<std::size_t, std::size_t> ahead = {};

  // What the order of samples hangs on; restoring into a loader that differs in one of the first three is an
  // error. World size and batch size may differ: see DataLoader::restore().
  std::string order = {};        // "sequential", "shuffled", "sampler" or "batch_sampler"
  std::uint64_t seed = 0;        // of the order and of every sample's generator
  std::size_t dataset_size = 0;  // samples
  std::size_t world_size = 1;    // ranks that share the order
  std::size_t batch_size = 0;    // rows; the largest, where batches differ

  // {"leat_loader_state":1,"epoch":3,"batches":17,"samples":4352,"ahead":{},"order":"shuffled","seed":1,
  //  "dataset_size":50000,"world_size":1,"batch_size":256}
  std::string to_json() const;

  // Throws ArgumentError that names what is missing, of the wrong type, out of range or of another version.
  static LoaderState from_json(const std::string& text);

  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

}  // namespace leat
