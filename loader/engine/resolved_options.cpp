#include "leat/loader/engine/resolved_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/loader/os/cpus.h"

namespace leat::detail {

namespace {

constexpr int kMaxWorkers = 4096;
constexpr std::size_t kDefaultPrefetchFactor = 2;

void require(bool condition, const std::string& otherwise) {
  if (!condition) throw ArgumentError(otherwise);
}

void check(const DataLoaderOptions& options) {
  require(options.batch_size != 0U, "batch_size is 0; it must be at least 1");
  require(
      options.num_workers == kAutoWorkers || (options.num_workers >= 0 && options.num_workers <= kMaxWorkers),
      fmt::format("num_workers is {}; it must be in [0, {}], or kAutoWorkers", options.num_workers,
                  kMaxWorkers));
  require(options.timeout.count() >= 0, "timeout is negative; 0 means for ever");
  require(options.sample_timeout.count() >= 0, "sample_timeout is negative; 0 means none");
  require(options.init_timeout.count() >= 0, "init_timeout is negative; 0 means none");
  require(options.stall_warning.count() >= 0, "stall_warning is negative; 0 means never");
  require(options.worker_threads >= 0,
          fmt::format("worker_threads is {}; it must be at least 1, or 0 to leave libraries as they are",
                      options.worker_threads));
  require(options.sample_timeout.count() == 0 ||
              (options.num_workers != 0 && options.worker_kind == WorkerKind::processes),
          "sample_timeout needs worker processes: nothing else can be stopped in the middle of a sample");
  require(options.bad_sample_limit.rate >= 0 && options.bad_sample_limit.rate <= 1,
          fmt::format("bad_sample_limit.rate is {}; it must be in [0, 1]", options.bad_sample_limit.rate));
  require(!(options.sampler && options.shuffle),
          "sampler and shuffle exclude each other: the sampler gives the order");
  require(!options.batch_sampler ||
              (options.batch_size == 1U && !options.shuffle && !options.sampler && !options.drop_last),
          "batch_sampler excludes batch_size, shuffle, sampler and drop_last: it makes up the batches");
  require(!(options.prefetch_factor && options.num_workers == 0),
          "prefetch_factor needs num_workers > 0: without workers nothing is prefetched");
  require(!options.prefetch_factor || *options.prefetch_factor > 0,
          "prefetch_factor is 0; it must be at least 1");
  require(!(options.worker_init_fn && options.num_workers == 0), "worker_init_fn needs num_workers > 0");
  require(options.persistent_workers || options.num_workers != 0,
          "persistent_workers is about workers, and num_workers is 0");
  require(options.max_held_batches > 0, "max_held_batches is 0; the consumer must be able to hold a batch");
}

}  // namespace

ResolvedLoaderOptions resolve(const DataLoaderOptions& options) {
  check(options);
  const bool tune = options.num_workers == kAutoWorkers;
  const int num_workers =
      tune ? std::clamp(static_cast<int>(usable_cpus()), 1, kMaxWorkers) : options.num_workers;
  const auto workers = static_cast<std::size_t>(num_workers);
  const std::size_t factor = options.prefetch_factor.value_or(kDefaultPrefetchFactor);
  const std::size_t depth = workers == 0 ? 1 : checked_multiply(factor, workers);
  const std::size_t rows =
      options.batch_sampler ? options.batch_sampler->max_batch_size() : options.batch_size.value_or(1);
  const bool forks = workers > 0 && options.worker_kind == WorkerKind::processes;
  return {.batch_size = rows,
          .tune = tune,
          .workers = {.num_workers = num_workers,
                      .seed = options.seed,
                      .worker_init_fn = options.worker_init_fn,
                      .worker_threads = options.worker_threads,
                      .spread_workers = options.spread_workers,
                      .sample_timeout = options.sample_timeout,
                      .init_timeout = options.init_timeout,
                      .on_warning = options.on_warning},
          .scheduling = {.depth = depth,
                         .max_held_batches = options.max_held_batches,
                         .workers = workers,
                         .reorder_bytes = options.in_order && workers > 1 ? options.reorder_bytes : 0,
                         .forks = forks ? Forks::share : Forks::copy,
                         .in_order = options.in_order,
                         .batched = options.batch_size.has_value(),
                         .on_bad_sample = options.on_bad_sample,
                         .bad_sample_limit = options.bad_sample_limit}};
}

}  // namespace leat::detail
