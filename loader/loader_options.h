/// \file
/// The options of a DataLoader.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "leat/datasets/export.h"
#include "leat/datasets/warning.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_sampler.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/sampler.h"

namespace leat {

/// Kinds of workers.
enum class WorkerKind {
  processes,  ///< forked from the calling process; a crash in get() ends one worker only
  threads,    ///< of the calling process; get() must be safe to call from several threads
};

/// A value of DataLoaderOptions::num_workers: the loader chooses the number of workers while it runs, up to the
/// number of usable CPUs.
inline constexpr int kAutoWorkers = -1;

/// Options of a DataLoader. Names and defaults are PyTorch's if PyTorch has the option.
struct LEAT_EXPORT DataLoaderOptions {
  /// Samples per batch. nullopt turns batching off: samples come one by one, and views of them have no batch dimension.
  std::optional<std::size_t> batch_size = 1;
  /// Whether to visit samples in a new random order each epoch. Not together with `sampler`.
  bool shuffle = false;
  /// The order of samples; null for that of `shuffle`.
  std::shared_ptr<const Sampler> sampler = nullptr;
  /// The samples that make up each batch. Not together with batch_size, shuffle, sampler or drop_last.
  std::shared_ptr<const BatchSampler> batch_sampler = nullptr;
  /// Number of workers. With 0, get() runs in next(), on the caller's thread. With kAutoWorkers, the loader uses as
  /// many workers as help.
  int num_workers = 0;
  /// Whether workers are processes or threads.
  WorkerKind worker_kind = WorkerKind::processes;
  /// Batches in flight per worker, 2 by default. Only with workers.
  std::optional<std::size_t> prefetch_factor = std::nullopt;
  /// Whether to leave out a short last batch.
  bool drop_last = false;
  /// Timeout of next(), which then throws TimeoutError. 0 means no timeout. Without workers, next() does not wait.
  std::chrono::nanoseconds timeout{0};
  /// Timeout of a sample. A worker process that takes longer, because it hangs or was stopped, is killed and replaced,
  /// and the sample is tried once more. 0 means no timeout. Only with worker processes.
  std::chrono::nanoseconds sample_timeout{0};
  /// Timeout of worker_init_fn in each worker process. A worker that takes longer is killed, and next() throws
  /// WorkerInitError. 0 means no timeout.
  std::chrono::nanoseconds init_timeout = std::chrono::minutes(10);
  /// If next() waits longer than this, on_warning receives what each worker is doing: its sample and for how long; with
  /// worker processes also what each waits for, and its stack of calls. The workers get a signal for that, so calls
  /// that signals interrupt, such as poll(), may return EINTR in get(). The warning is repeated after twice that time,
  /// then after four times, and so on. 0 means never.
  std::chrono::nanoseconds stall_warning = std::chrono::seconds(30);
  /// What to do about a sample whose get() throws, or that ends two worker processes, the second one fresh.
  SampleErrorPolicy on_bad_sample = SampleErrorPolicy::raise;
  /// Limit of bad samples, for policies other than raise.
  BadSampleLimit bad_sample_limit = {};
  /// Whether to deliver batches in the order of the sampler. If not, they come as they get ready; HostBatch::number()
  /// tells which one it is.
  bool in_order = true;
  /// Memory, beyond that of the batches in flight, for batches that get ready while next() waits for an older one, so
  /// that a slow sample does not stop the other workers. It is taken when that first happens, and kept: at most fifteen
  /// times the memory of the batches in flight, and a fifth of the available memory. 0 means none.
  std::size_t reorder_bytes = std::size_t{64} << 20;
  /// Seed of the order, and of every sample's generator of random numbers.
  std::uint64_t seed = 0;
  /// Runs in each worker before it loads anything, also in one that replaces another. Only with workers.
  std::function<void(int worker)> worker_init_fn = nullptr;
  /// Threads that libraries may use in each worker: OpenMP (and so LibTorch), OpenBLAS, MKL, BLIS and OpenCV, as far as
  /// they are loaded when the workers start. With more than one, such a library hangs in a worker process if it had
  /// started its threads in this process before. 0 leaves the libraries as they are. With thread workers it limits
  /// OpenMP alone, since the settings of the others are those of the process.
  int worker_threads = 1;
  /// Changes a whole batch in place before next() returns it, on the thread that calls next(), for instance to mix
  /// samples. next() throws what it throws, in place of the batch. It need not put rows together: the schema says where
  /// they go.
  std::function<void(HostBatch& batch)> collate_fn = nullptr;
  /// Whether workers live on after an epoch. If not, every epoch has new workers, which see the dataset as it is then.
  /// The default differs from PyTorch's, since workers are cheap to keep. Only with workers.
  bool persistent_workers = true;
  /// Whether to throw ArgumentError if other threads run when worker processes are forked, which is when the loader is
  /// made: locks that they hold at that moment stay locked in the workers. Otherwise the loader warns once per process.
  bool strict_fork = false;
  /// Whether each worker process keeps to its share of the usable CPUs, near its caches and memory, if there are at
  /// least two CPUs for each. If not, the system places them.
  bool spread_workers = true;
  /// Number of batches that the consumer may hold at once without reducing those in flight.
  std::size_t max_held_batches = 3;
  /// Receives warnings of what was repaired while loading goes on, such as a worker that died, and the warnings of the
  /// dataset (Dataset::warnings()) once, at the end of the first epoch that has any. If it is empty, they are printed
  /// to stderr. If it throws, the loader's member that called it throws the same. After a warning about a worker,
  /// every later call throws it again.
  WarningHandler on_warning = nullptr;
};

}  // namespace leat
