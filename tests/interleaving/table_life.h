// A SlotTable with workers and a fork server in a simulation, and a parent that does one thing after the other: shorter
// than a loader's life, so that more goes into the same number of schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "leat/loader/workers/worker.h"
#include "leat/loader/workers/worker_pool.h"
#include "tests/interleaving/explore.h"
#include "tests/interleaving/stepped_dataset.h"

namespace leat::interleaving {

using namespace leat::detail;

class TableLife {
 public:
  // A batch has `rows` rows; samples are numbered over all batches in the order of their publication.
  TableLife(const Machine& machine, std::size_t slots, std::size_t rows, BadOnes bad = {},
            std::size_t spare = 0);
  ~TableLife();
  TableLife(const TableLife&) = delete;
  TableLife& operator=(const TableLife&) = delete;

  void open_next();
  void publish(std::size_t slot);
  void cancel(std::size_t slot) { table_.cancel(slot); }
  // Until a batch is finished or a worker has died, unless this batch is finished.
  void wait_for_news(std::size_t slot);
  void wait_for_end(std::size_t slot);
  // Waits, notes bad rows and has the rest loaded, checks all rows, clears the slot.
  void take(std::size_t slot);
  void clear(std::size_t slot) { table_.clear(slot); }

 private:
  void set_aside(std::size_t slot, std::size_t chunk);
  void check(std::size_t slot) const;

  const Machine& machine_;
  const std::size_t rows_;
  const BadOnes bad_;
  SteppedDataset dataset_;
  SlotTable table_;
  const WorkerOptions options_;
  std::unique_ptr<WorkerPool> pool_;
  std::uint64_t generation_ = 0;
  std::vector<std::uint64_t> published_;            // per slot: the generation
  std::vector<std::vector<std::uint64_t>> failed_;  // per slot: samples
};

}  // namespace leat::interleaving
