// What a user gives the engine: samples by index.
#pragma once

#include <cstddef>
#include <string>

#include "leat/datasets/rng.h"
#include "leat/datasets/sample_writer.h"
#include "leat/datasets/schema.h"

namespace leat {

// Workers are forked, so any C++ object can be a dataset: it is inherited, not copied or serialised. get() is
// called by many processes, each on its own copy of the object; with thread workers it is called by many
// threads at once and must be safe for that.
//
// A worker process keeps the regular files and folders that are open when the loader is made. Sockets, pipes, event
// descriptors and devices are closed in it, since two processes cannot share a connection, and a worker must not hold a
// GPU's memory. Open such a thing once per process: PerProcess (datasets/per_process.h) does that.
class Dataset {
 public:
  virtual ~Dataset() = default;

  // The number of samples. May change between epochs, not during one.
  virtual std::size_t size() const = 0;

  // The fields of every sample; constant over the dataset's life.
  virtual const Schema& schema() const = 0;

  // Writes sample `index` (below size()) into `out`: every byte of every field. All randomness must come from
  // `rng`, which depends on (seed, epoch, index) alone. Throws on a sample that cannot be had; the loader
  // adds the index.
  virtual void get(std::size_t index, Rng& rng, SampleWriter& out) const = 0;

  // A hint, often several times per microsecond: this thread calls get(index) right after the get() that it calls
  // now. What memory can bring nearer meanwhile should be asked for, without waiting and without effect on
  // results. `index` is below size().
  virtual void prefetch(std::size_t index) const noexcept { (void)index; }

  // A hint: get(index) is to be called soon, some tens of samples later, by this worker or another one. What storage
  // can bring nearer should be asked for, without waiting for it and without effect on results. `index` is below
  // size(). As thread-safe as get().
  virtual void read_ahead(std::size_t index) const noexcept { (void)index; }

  // Whether read_ahead() does anything; constant. Where it does not, nobody looks ahead.
  virtual bool reads_ahead() const noexcept { return false; }

  // What a user should know about the samples loaded so far, by all workers, though none was refused: one sentence with
  // counts. Empty if there is nothing to tell. A loader tells its on_warning, after the first epoch that has something.
  // Called in the process that made the loader, while workers may still call get().
  virtual std::string warnings() const { return {}; }

  // Where sample `index` comes from, for messages: a path, say. Empty if there is nothing to add to the
  // index.
  virtual std::string describe(std::size_t index) const { return (void)index, std::string(); }

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
};

}  // namespace leat
