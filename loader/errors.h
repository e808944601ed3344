// What can go wrong while loading. Each is a leat::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "leat/datasets/errors.h"

namespace leat {

// Dataset::get() threw, or the sample ended two workers, the second one fresh. The batch that held it is lost;
// next() goes on with the batch after it.
class SampleError : public Error {
 public:
  struct Origin {
    std::size_t index = 0;  // of the sample in the dataset
    std::string source;     // Dataset::describe(index)
    std::string type;       // of the exception, e.g. "leat::DataError"
    std::string text;       // of the exception, with the exceptions nested in it
    int worker = -1;        // the worker it happened in; -1: the calling process
    int deaths = 0;         // of workers, by loading it; 0: it threw
    std::string stack =
        {};  // where the last of these was: a line for each call, or nothing if that is not known
  };

  SampleError(std::uint64_t batch, Origin origin);

  std::uint64_t batch() const noexcept { return batch_; }  // its number in the epoch
  const Origin& origin() const noexcept { return origin_; }

 private:
  std::uint64_t batch_;
  Origin origin_;
};

/// Is told of each batch that is lost to a bad sample, where the loop over an epoch goes on without it.
using SampleErrorHandler = std::function<void(const SampleError& error)>;

// More than the usual bad luck: too many of the policy's bad samples in one epoch. The loader that reports it
// delivers nothing more.
class TooManyBadSamplesError : public Error {
 public:
  using Error::Error;
};

// Worker processes only die: more than max(3, number of workers) of them, with no sample loaded or found to be
// bad in between. It tells of the last one. The loader that reports it delivers nothing more.
class WorkerError : public Error {
 public:
  WorkerError(int worker, int pid, int wait_status, const std::string& why);

  int worker() const noexcept { return worker_; }
  int pid() const noexcept { return pid_; }
  int signal() const noexcept;     // that killed it; 0 if it exited
  int exit_code() const noexcept;  // -1 if a signal killed it

 private:
  int worker_;
  int pid_;
  int wait_status_;
};

/// worker_init_fn threw in a worker, took longer than DataLoaderOptions::init_timeout, or ended the process three times in
/// a row. The loader that reports it delivers nothing more.
class WorkerInitError : public Error {
 public:
  WorkerInitError(int worker, const std::string& what) : Error(what), worker_(worker) {}

  int worker() const noexcept { return worker_; }

 private:
  int worker_;
};

// next() waited longer than DataLoaderOptions::timeout. The batch may be asked for again.
class TimeoutError : public Error {
 public:
  using Error::Error;
};

/// A loader with workers, or a prefetcher, is used in a process that was forked from the one that made it. Its workers and
/// threads serve that process only. Destroying it in the forked process does nothing.
class ForkedProcessError : public Error {
 public:
  using Error::Error;
};

// Every slot is leased: batches are held that nobody released, so that none can be filled.
class SlotsHeldError : public Error {
 public:
  using Error::Error;
};

}  // namespace leat
