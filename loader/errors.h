// What can go wrong while loading. Each is a leat::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "loader/base/errors.h"

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
  };

  SampleError(std::uint64_t batch, Origin origin);

  std::uint64_t batch() const noexcept { return batch_; }  // its number in the epoch
  const Origin& origin() const noexcept { return origin_; }

 private:
  std::uint64_t batch_;
  Origin origin_;
};

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

// worker_init_fn threw in a worker. The loader that reports it delivers nothing.
class WorkerInitError : public Error {
 public:
  WorkerInitError(int worker, const std::string& type, const std::string& text);

  int worker() const noexcept { return worker_; }

 private:
  int worker_;
};

// next() waited longer than DataLoaderOptions::timeout. The batch may be asked for again.
class TimeoutError : public Error {
 public:
  using Error::Error;
};

// Every slot is leased: batches are held that nobody released, so that none can be filled.
class SlotsHeldError : public Error {
 public:
  using Error::Error;
};

}  // namespace leat
