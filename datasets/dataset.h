/// \file
/// The interface of datasets: access to samples by index.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "leat/datasets/export.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/sample_writer.h"
#include "leat/datasets/schema.h"

namespace leat {

/// Provides samples by index for a DataLoader. Derive from it to load your own samples.
///
/// Any C++ object can be a dataset: workers are forked and inherit it, so nothing is copied or serialized. Many
/// processes call get(), each on its own copy of the object. With thread workers, many threads call it at the same
/// time, and it must be thread-safe.
///
/// A worker process keeps the regular files and folders that are open when the loader is created. Sockets, pipes,
/// event descriptors and devices are closed in it: two processes cannot share a connection, and a worker must not
/// hold the memory of a GPU. Open such resources once per process, with PerProcess.
class LEAT_EXPORT Dataset {
 public:
  virtual ~Dataset() = default;

  /// Returns the number of samples. It may change between epochs, but not during an epoch.
  virtual std::size_t size() const = 0;

  /// Returns the fields of every sample. Must always return the same schema.
  virtual const Schema& schema() const = 0;

  /// Writes sample `index` (below size()) to `out`: every byte of every field. All random numbers must come from
  /// `rng`, which depends only on (seed, epoch, index). May throw any exception if the sample cannot be loaded; the
  /// loader adds the index.
  virtual void get(std::size_t index, Rng& rng, SampleWriter& out) const = 0;

  /// Hints that this thread will call get(index) right after its next get(). An implementation may fetch memory into
  /// the CPU's caches, without waiting and without affecting results. Called up to several times per microsecond.
  /// `index` is below size().
  virtual void prefetch(std::size_t index) const noexcept { (void)index; }

  /// Hints that this worker or another one will call get(index) soon, some tens of samples later. An implementation
  /// may start reading ahead from storage, without waiting and without affecting results. `index` is below size().
  /// Must be as thread-safe as get().
  virtual void read_ahead(std::size_t index) const noexcept { (void)index; }

  /// Whether read_ahead() does anything. Must be constant. If false, read_ahead() is not called.
  virtual bool reads_ahead() const noexcept { return false; }

  /// Returns what a user should know about the samples that all workers have loaded so far, although none was
  /// rejected: one sentence with counts, or an empty string. A loader passes it to its on_warning after the first
  /// epoch for which it is not empty. Called in the process that created the loader, while workers may still call
  /// get().
  virtual std::string warnings() const { return {}; }

  /// Returns where sample `index` comes from, such as a path, for messages. Empty if the index is sufficient.
  virtual std::string describe(std::size_t index) const { return (void)index, std::string(); }

  /// Returns a description from which open_dataset() opens an equal dataset, in this process or another one. The
  /// description is a JSON object, see docs/dataset-spec.md. Returns nullopt if there is none, because the dataset
  /// consists of code or of this process's memory.
  virtual std::optional<std::string> spec() const { return std::nullopt; }

 protected:
  Dataset() = default;
  /// Only derived classes can copy and move.
  Dataset(const Dataset&) = default;
  /// Only derived classes can copy and move.
  Dataset& operator=(const Dataset&) = default;
};

}  // namespace leat
