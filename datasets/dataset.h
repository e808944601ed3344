/// \file
/// Datasets: samples by index.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "leat/datasets/export.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/sample_writer.h"
#include "leat/datasets/schema.h"

namespace leat {

/// Samples by index, for a DataLoader. Derive from it to load samples of your own.
///
/// Workers are forked, so any C++ object can be a dataset: they inherit it, and nothing is copied or serialized. Many
/// processes call get(), each on its own copy of the object. With thread workers, many threads call it at once, and it
/// must be thread-safe.
///
/// A worker process keeps the regular files and folders that are open when the loader is made. Sockets, pipes, event
/// descriptors and devices are closed in it, since two processes cannot share a connection, and a worker must not hold
/// the memory of a GPU. Open such resources once per process, with PerProcess.
class LEAT_EXPORT Dataset {
 public:
  virtual ~Dataset() = default;

  /// Returns the number of samples. It may change between epochs, not during one.
  virtual std::size_t size() const = 0;

  /// Returns the fields of every sample; constant.
  virtual const Schema& schema() const = 0;

  /// Writes sample `index` (below size()) to `out`: every byte of every field. All random numbers must come from `rng`,
  /// which depends on (seed, epoch, index) alone. Throws any exception if the sample cannot be loaded; the loader adds
  /// the index.
  virtual void get(std::size_t index, Rng& rng, SampleWriter& out) const = 0;

  /// Hints that this thread will call get(index) right after the get() that it calls next. May fetch memory into the
  /// caches of the CPU, without waiting and without an effect on results. Called up to several times per microsecond.
  /// `index` is below size().
  virtual void prefetch(std::size_t index) const noexcept { (void)index; }

  /// Hints that this worker or another one will call get(index) soon, some tens of samples later. May have storage read
  /// ahead, without waiting and without an effect on results. `index` is below size(). As thread-safe as get().
  virtual void read_ahead(std::size_t index) const noexcept { (void)index; }

  /// Whether read_ahead() does anything; constant. If not, it is not called.
  virtual bool reads_ahead() const noexcept { return false; }

  /// Returns what a user should know about the samples that all workers have loaded so far, though none was refused:
  /// one sentence with counts; empty if there is nothing to tell. A loader gives it to its on_warning, after the first
  /// epoch for which it is not empty. Called in the process that made the loader, while workers may still call get().
  virtual std::string warnings() const { return {}; }

  /// Returns where sample `index` comes from, for messages, such as a path; empty if the index says it all.
  virtual std::string describe(std::size_t index) const { return (void)index, std::string(); }

  /// Returns a description from which open_dataset() opens an equal dataset, in this process or another one: a JSON
  /// object, see docs/dataset-spec.md. Nullopt if there is none, because the dataset consists of code or of this
  /// process's memory.
  virtual std::optional<std::string> spec() const { return std::nullopt; }

 protected:
  Dataset() = default;
  /// Copies and moves are for derived classes.
  Dataset(const Dataset&) = default;
  /// Copies and moves are for derived classes.
  Dataset& operator=(const Dataset&) = default;
};

}  // namespace leat
