#include "loader/worker.h"

#include <algorithm>

#include "loader/base/rng.h"

namespace leat {

namespace {

void load_row(const WorkerJob& job, const Claim& claim, const BatchTicket& ticket, std::size_t row) {
  const std::uint64_t index = job.table.indices(claim.slot)[row];
  Rng rng(job.seed, ticket.epoch, index);
  SampleWriter out(job.table.layout().schema(), job.table.columns(claim.slot), row,
                   claim.run * ticket.rows_per_run);
  job.dataset.get(index, rng, out);
  out.check_complete();
}

std::string describe_sample(const Dataset& dataset, std::uint64_t index) {
  try {
    return dataset.describe(index);
  } catch (...) {  // the sample's own error matters more than a name for it
    return {};
  }
}

// Called in a catch block.
void record_failure(const WorkerJob& job, const Claim& claim, std::size_t row) {
  const std::size_t worker = ClaimWord::unpack(claim.word).worker;
  FailureRecord& failure = job.table.run_failure(claim);
  failure.index = job.table.indices(claim.slot)[row];
  failure.row = static_cast<std::uint32_t>(row);
  failure.worker = worker == kInlineWorker ? -1 : static_cast<std::int32_t>(worker);
  failure.capture();
  failure.set_source(describe_sample(job.dataset, failure.index));
}

RunState load_run(const WorkerJob& job, const Claim& claim) {
  const BatchTicket ticket = job.table.ticket(claim);
  const std::size_t first = claim.run * ticket.rows_per_run;
  const std::size_t last = std::min(first + ticket.rows_per_run, ticket.rows);
  for (std::size_t row = first; row < last; ++row) {
    try {
      load_row(job, claim, ticket, row);
    } catch (...) {
      record_failure(job, claim, row);
      return RunState::failed;
    }
  }
  return RunState::done;
}

bool initialise(const WorkerJob& job, std::size_t worker) {
  try {
    if (job.init) job.init(static_cast<int>(worker));
    return true;
  } catch (...) {
    job.table.worker_failure(worker).capture();
    return false;
  }
}

}  // namespace

bool load_one_run(const WorkerJob& job, std::size_t worker) {
  const auto claim = job.table.claim(worker);
  if (!claim) return false;
  job.table.finish(*claim, load_run(job, *claim));
  return true;
}

bool run_worker(const WorkerJob& job, std::size_t worker) {
  if (!initialise(job, worker)) return false;
  while (!job.table.stopping()) {
    const std::uint32_t seen = job.table.work_sequence();
    if (!load_one_run(job, worker) && !job.table.stopping()) job.table.wait_for_work(seen);
  }
  return true;
}

}  // namespace leat
