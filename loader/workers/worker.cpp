#include "leat/loader/workers/worker.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/worker_info.h"
#include "leat/loader/workers/current_worker.h"
#include "leat/loader/workers/read_ahead.h"

namespace leat::detail {

namespace {

void load_row(const WorkerJob& job, const Claim& claim, const BatchDescriptor& descriptor, std::size_t row) {
  const std::uint64_t index = job.table.indices(claim.slot)[row];
  Rng rng(job.options.seed, descriptor.epoch, index);
  SampleWriter out(job.table.layout().schema(), job.table.columns(claim.slot), row,
                   claim.chunk * descriptor.rows_per_chunk, job.table.ragged_memory());
  job.dataset.get(index, rng, out);
  out.check_complete();
}

// Returns the dataset's description of the sample, or an empty text if describe() throws.
std::string describe_sample(const Dataset& dataset, std::uint64_t index) {
  try {
    return dataset.describe(index);
  } catch (...) {  // the sample's own error is more important than its description
    return {};
  }
}

// Writes the current exception to the chunk's failure record. Call it in a catch block.
void record_failure(const WorkerJob& job, const Claim& claim, std::size_t row) {
  const std::size_t worker = ChunkState::unpack(claim.word).worker;
  FailureRecord& failure = job.table.chunk_failure(claim);
  failure.index = job.table.indices(claim.slot)[row];
  failure.row = static_cast<std::uint32_t>(row);
  failure.worker = worker == kInlineWorker ? -1 : static_cast<std::int32_t>(worker);
  failure.capture();
  failure.set_source(describe_sample(job.dataset, failure.index));
}

// Counts a sample that the worker has loaded or found to be bad. Needs no atomic increment, since only the worker
// itself writes this counter.
void count_sample(WorkerRecord& record) {
  record.samples.store(record.samples.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// If the row in progress has ended a worker before, writes the sample's description to the failure record in advance.
// If the row ends this worker, too, no other process can safely ask the dataset for the description, because
// describe() itself may end the process.
void prepare_for_death(const WorkerJob& job, const Claim& claim) {
  const ChunkState word = ChunkState::unpack(claim.word);
  if (word.deaths == 0) return;
  const std::uint64_t index = job.table.indices(claim.slot)[job.table.row_in_progress(claim)];
  job.table.chunk_failure(claim).expect_death(word.generation, index, describe_sample(job.dataset, index));
}

// Loads a chunk, starting at its row in progress: the chunk may have been left by a worker that died, or reopened
// after a bad row. Calls loaded() after each row that was loaded.
template <class Loaded>
ChunkPhase load_chunk(const WorkerJob& job, const Claim& claim, ReadAhead& ahead, Loaded&& loaded) {
  const BatchDescriptor descriptor = job.table.batch_descriptor(claim);
  const std::span<const std::uint64_t> indices = job.table.indices(claim.slot).first(descriptor.rows);
  const std::size_t last = descriptor.last_row(claim.chunk);
  prepare_for_death(job, claim);
  for (std::size_t row = job.table.row_in_progress(claim); row < last; ++row) {
    job.table.begin_row(claim, row);
    ahead.before(descriptor.generation, indices, row);
    if (row + 1 < last) job.dataset.prefetch(indices[row + 1]);
    try {
      load_row(job, claim, descriptor, row);
    } catch (...) {
      record_failure(job, claim, row);
      return ChunkPhase::failed;
    }
    loaded();
  }
  return ChunkPhase::done;
}

void load_claimed(const WorkerJob& job, const Claim& claim, ReadAhead& ahead, WorkerRecord& record) {
  const std::size_t first = job.table.row_in_progress(claim);
  const std::uint64_t began = steady_ns();
  const bool has_deadline = job.options.sample_timeout.count() > 0;  // if so, record each sample's start
  record.busy_since.store(began, std::memory_order_relaxed);
  const ChunkPhase phase = load_chunk(job, claim, ahead, [&] {
    count_sample(record);
    if (has_deadline) record.busy_since.store(steady_ns(), std::memory_order_relaxed);
  });
  if (phase == ChunkPhase::failed) count_sample(record);
  const std::uint64_t ended = steady_ns(), took = ended - began;
  job.table.set_timing(claim, {began, ended, ChunkState::unpack(claim.word).worker});
  record.busy_since.store(0, std::memory_order_relaxed);
  record.busy_ns.store(record.busy_ns.load(std::memory_order_relaxed) + took, std::memory_order_relaxed);
  job.table.measured(job.table.row_in_progress(claim) + 1 - first, took);
  job.table.finish(claim, phase);
}

void spread(const WorkerJob& job, std::size_t worker) {
  try {
    set_affinity(share_of(affinity_mask(), worker, static_cast<std::size_t>(job.options.num_workers)));
  } catch (const SystemError&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The set of CPUs has just changed, or may not be changed. It only affects speed.
  }
}

bool initialize(const WorkerJob& job, std::size_t worker) {
  set_worker_info({static_cast<int>(worker), job.options.num_workers, job.options.seed});
  if (job.options.spread_workers) spread(job, worker);
  try {
    if (job.options.worker_init_fn) job.options.worker_init_fn(static_cast<int>(worker));
    return true;
  } catch (...) {
    job.table.worker_failure(worker).capture();
    return false;
  }
}

}  // namespace

std::vector<int> share_of(const std::vector<int>& cpus, std::size_t worker, std::size_t workers) {
  if (cpus.size() < 2 * workers) return cpus;
  const auto at = [&](std::size_t part) {
    return cpus.begin() + static_cast<std::ptrdiff_t>(cpus.size() * part / workers);
  };
  return {at(worker), at(worker + 1)};
}

bool load_one_chunk(const WorkerJob& job) {
  const auto claim = job.table.claim(kInlineWorker);
  if (!claim) return false;
  ReadAhead ahead(job.dataset);  // without workers a batch is one chunk
  job.table.finish(*claim, load_chunk(job, *claim, ahead, [] {}));
  return true;
}

namespace {

void load_until_told(const WorkerJob& job, std::size_t worker) {
  WorkerRecord& record = job.table.worker_record(worker);
  ReadAhead ahead(job.dataset);
  while (const auto claim = job.table.claim_reopened(worker)) load_claimed(job, *claim, ahead, record);
  while (!job.table.stopping()) {
    job.table.wait_while_parked(worker);
    const std::uint32_t seen = job.table.work_sequence();
    if (const auto claim = job.table.claim(worker)) {
      load_claimed(job, *claim, ahead, record);
    } else if (!job.table.stopping()) {
      job.table.wait_for_work(seen);
    }
  }
}

}  // namespace

WorkerEnd run_worker(const WorkerJob& job, std::size_t worker) {
  job.table.worker_record(worker).stack.base = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  if (!initialize(job, worker)) return WorkerEnd::init_failed;
  job.table.worker_record(worker).up.store(true);
  try {
    load_until_told(job, worker);
  } catch (const LostDescriptor&) {
    return WorkerEnd::lost_descriptor;
  }
  return WorkerEnd::told;
}

}  // namespace leat::detail
