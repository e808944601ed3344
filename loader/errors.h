/// \file
/// The errors of a loader. Each is a leat::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/export.h"

namespace leat {

/// Reports that Dataset::get() threw, or that a sample ended two workers, the second one fresh. Its batch is lost;
/// next() goes on with the batch after it.
class LEAT_EXPORT SampleError : public Error {
 public:
  /// Says which sample failed, where and how.
  struct Origin {
    std::size_t index = 0;  ///< index of the sample in the dataset
    std::string source;     ///< what Dataset::describe(index) returns
    std::string type;       ///< type of the exception: "leat::DataError"
    std::string text;       ///< message of the exception, with those of the exceptions nested in it
    int worker = -1;        ///< worker in which it happened; -1 is the calling process
    int deaths = 0;         ///< number of workers that died loading it; 0 if it threw
    /// Stack of the last of these workers when it died, a line for each call; empty if it is not known.
    std::string stack = {};
  };

  /// Reports what happened to a sample of a batch.
  SampleError(std::uint64_t batch, Origin origin);

  std::uint64_t batch() const noexcept { return batch_; }    ///< number of the batch in its epoch
  const Origin& origin() const noexcept { return origin_; }  ///< the sample

 private:
  std::uint64_t batch_;
  Origin origin_;
};

/// Receives the error of each batch that is lost to a bad sample, while the loop over an epoch goes on.
using SampleErrorHandler = std::function<void(const SampleError& error)>;

/// Reports more bad samples in one epoch than BadSampleLimit allows. The loader delivers nothing more.
class LEAT_EXPORT TooManyBadSamplesError : public Error {
 public:
  using Error::Error;
};

/// Reports that worker processes only die: more than max(3, number of workers) of them, with no sample loaded or found
/// to be bad in between. Describes the last one. The loader delivers nothing more.
class LEAT_EXPORT WorkerError : public Error {
 public:
  /// Reports the end of a worker; `wait_status` is that of waitpid().
  WorkerError(int worker, int pid, int wait_status, const std::string& why);

  int worker() const noexcept { return worker_; }  ///< its number
  int pid() const noexcept { return pid_; }        ///< its process id
  int signal() const noexcept;                     ///< the signal that killed it; 0 if it exited
  int exit_code() const noexcept;                  ///< its exit code; -1 if a signal killed it

 private:
  int worker_;
  int pid_;
  int wait_status_;
};

/// Reports that worker_init_fn threw in a worker, took longer than DataLoaderOptions::init_timeout, or ended the
/// process three times in a row. The loader delivers nothing more.
class LEAT_EXPORT WorkerInitError : public Error {
 public:
  /// Reports what happened in a worker.
  WorkerInitError(int worker, const std::string& what) : Error(what), worker_(worker) {}

  int worker() const noexcept { return worker_; }  ///< its number

 private:
  int worker_;
};

/// Reports that next() waited longer than DataLoaderOptions::timeout. The batch can be asked for again.
class LEAT_EXPORT TimeoutError : public Error {
 public:
  using Error::Error;
};

/// Reports the use of a loader with workers, or of a prefetcher, in a process that was forked from the one that made
/// it. Its workers and threads serve that process only. Destroying it in the forked process does nothing.
class LEAT_EXPORT ForkedProcessError : public Error {
 public:
  using Error::Error;
};

/// Reports that the caller holds so many batches that no slot is left for another one.
class LEAT_EXPORT SlotsHeldError : public Error {
 public:
  using Error::Error;
};

}  // namespace leat
