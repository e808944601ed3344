// Options of a DataLoader.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "leat/datasets/warning.h"
#include "leat/loader/bad_samples.h"
#include "leat/loader/batch_sampler.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/sampler.h"

namespace leat {

enum class WorkerKind {
  processes,  // forked; a crash in get() is contained
  threads,    // of the calling process; get() must be safe to call from several threads
};

// As DataLoaderOptions::num_workers: the loader finds the number while it runs, up to the CPUs it may use.
inline constexpr int kAutoWorkers = -1;

// Names and defaults are PyTorch's where PyTorch has the option.
struct DataLoaderOptions {
  // nullopt turns batching off: samples come one by one, and views of them have no batch dimension.
  std::optional<std::size_t> batch_size = 1;
  // A new order each epoch; not together with `sampler`.
  bool shuffle = false;
  // Shared, since the caller that built it usually keeps it.
  std::shared_ptr<const Sampler> sampler = nullptr;
  // Not together with batch_size, shuffle, sampler, drop_last: it says which samples make up each batch.
  std::shared_ptr<const BatchSampler> batch_sampler = nullptr;
  // 0: get() runs in next(), on the caller's thread. kAutoWorkers: as many as help.
  int num_workers = 0;
  WorkerKind worker_kind = WorkerKind::processes;
  // Batches in flight per worker; 2 where it is not given; only with workers.
  std::optional<std::size_t> prefetch_factor = std::nullopt;
  // Leave out a short last batch.
  bool drop_last = false;
  // Of one next(); 0: for ever. Without workers there is nothing to wait for.
  std::chrono::nanoseconds timeout{0};
  // Of one sample; 0: none. A worker process that takes longer (it hangs, or was stopped) is killed and
  // replaced, and the sample tried once more. Needs worker processes.
  std::chrono::nanoseconds sample_timeout{0};
  /// Timeout of worker_init_fn in each worker process. A worker that takes longer is killed, and next() throws
  /// WorkerInitError. 0 means no timeout.
  std::chrono::nanoseconds init_timeout = std::chrono::minutes(10);
  /// If next() waits longer than this, on_warning is told what each worker is doing: its sample and for how long; with worker
  /// processes also what each waits for, and the calls that it is in. They get a signal for that, so calls that signals
  /// interrupt, such as poll(), may return EINTR in get(). It is told again after twice that time, then after four times,
  /// and so on. 0 means never.
  std::chrono::nanoseconds stall_warning = std::chrono::seconds(30);
  // What becomes of a sample whose get() throws, or that ends two worker processes, the second one fresh.
  SampleErrorPolicy on_bad_sample = SampleErrorPolicy::raise;
  // For the policies that go on.
  BadSampleLimit bad_sample_limit = {};
  // Deliver batches in the order of the sampler; false: as they get ready (HostBatch::number() says which).
  bool in_order = true;
  // How much more memory than that of the batches in flight may be used, where order matters, so that workers go
  // on while the oldest batch is waited for: a slow sample in it does not stop the others then. Taken only when
  // that happens, and kept; at most fifteen times the slots in flight and a fifth of the available memory. 0: none.
  std::size_t reorder_bytes = std::size_t{64} << 20;
  // Of the order and of every sample's generator.
  std::uint64_t seed = 0;
  // Runs in each worker before it loads anything, in a replacement too; only with workers.
  std::function<void(int worker)> worker_init_fn = nullptr;
  /// Threads that libraries may use in each worker: OpenMP (and so LibTorch), OpenBLAS, MKL, BLIS and OpenCV, as far as
  /// they are loaded when the workers start. With more than one, such a library hangs in a worker process if it had
  /// started its threads in this process before. 0 leaves the libraries as they are. (With thread workers: OpenMP only,
  /// since the settings of the others are the process's.)
  int worker_threads = 1;
  // Works on a whole batch, in place, before next() returns it, on the thread that calls next(): to mix samples,
  // say. What it throws is thrown by next() in the place of the batch. (Rows are put together without it: the
  // schema says where they go.)
  std::function<void(HostBatch& batch)> collate_fn = nullptr;
  // false: every epoch gets new workers, which know the dataset as it is then. (true is the default here, other
  // than in PyTorch: workers are cheap to keep.) Only with workers.
  bool persistent_workers = true;
  // Worker processes are forked when the loader is made. Where other threads run by then, locks that those hold at
  // that moment stay locked in the workers: the loader warns once per process, or refuses with true.
  bool strict_fork = false;
  // With worker processes and at least two CPUs for each: each keeps to its share of the CPUs of the affinity
  // mask, so that it stays near its caches and memory. false: the system places them.
  bool spread_workers = true;
  // Batches that the consumer may hold at once without reducing those in flight.
  std::size_t max_held_batches = 3;
  // Told of what is repaired while loading goes on (a worker that died, say), and, once, of the dataset's warnings
  // (Dataset::warnings()) at the end of the first epoch that has any. Default: prints to stderr. If it throws, the call
  // that told it throws the same, and the loader is of no further use.
  WarningHandler on_warning = nullptr;
};

}  // namespace leat
