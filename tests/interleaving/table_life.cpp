#include "tests/interleaving/table_life.h"

#include <algorithm>

namespace leat::interleaving {

namespace {

constexpr std::size_t kMostSamples = 1000;

void require(bool condition, const char* otherwise) {
  Simulation::current().require(condition, otherwise);
}

}  // namespace

TableLife::TableLife(const Machine& machine, std::size_t slots, std::size_t rows, BadOnes bad,
                     std::size_t spare)
    : machine_(machine),
      rows_(rows),
      bad_(bad),
      dataset_(kMostSamples, bad),
      table_(BatchLayout(dataset_.schema(), rows), {slots, rows, machine.workers, spare}),
      options_{.num_workers = static_cast<int>(machine.workers), .seed = kSeed},
      pool_(start_worker_processes({table_, dataset_, options_})),
      published_(slots + spare),
      failed_(slots + spare) {}

TableLife::~TableLife() = default;

void TableLife::open_next() {
  require(table_.open_next(), "a spare slot does not open");
}

void TableLife::publish(std::size_t slot) {
  published_[slot] = ++generation_;
  failed_[slot].clear();
  for (std::size_t row = 0; row < rows_; ++row) {
    table_.indices(slot)[row] = (generation_ - 1) * rows_ + row;
  }
  table_.publish(slot, {generation_, 0, generation_, rows_, machine_.rows_per_chunk});
}

void TableLife::wait_for_news(std::size_t slot) {
  table_.await();
  if (!table_.finished(slot)) pool_->wait(std::nullopt);
}

void TableLife::wait_for_end(std::size_t slot) {
  while (!table_.finished(slot)) wait_for_news(slot);
}

void TableLife::take(std::size_t slot) {
  wait_for_end(slot);
  while (const auto chunk = table_.failed_chunk(slot)) {
    set_aside(slot, *chunk);
    wait_for_end(slot);
  }
  check(slot);
  table_.clear(slot);
}

void TableLife::set_aside(std::size_t slot, std::size_t chunk) {
  const FailureRecord& failure = table_.failure(slot, chunk);
  if (failure.deaths == 0) require(bad_.throws == failure.index, "a good sample is said to throw");
  if (failure.deaths > 0) {
    require(bad_.poison == failure.index || guilty(failure.index, 2), "an innocent sample is blamed");
  }
  failed_[slot].push_back(failure.index);
  table_.reopen_after_failure(slot, chunk);
}

void TableLife::check(std::size_t slot) const {
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint64_t index = (published_[slot] - 1) * rows_ + row;
    require(table_.indices(slot)[row] == index, "an index has changed");
    if (std::count(failed_[slot].begin(), failed_[slot].end(), index) > 0) continue;
    require(!bad_.include(index), "a bad sample is delivered");
    require(holds(table_.data(slot), table_.layout().offset(1), row, 0, index), "a row is torn or stale");
  }
}

}  // namespace leat::interleaving
