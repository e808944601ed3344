#include "tests/interleaving/loader_life.h"

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tests/interleaving/fiber_pool.h"

namespace leat::interleaving {

namespace {

void require(bool condition, const char* otherwise) {
  Simulation::current().require(condition, otherwise);
}

class User {
 public:
  User(const LoaderLife& life, const Machine& machine)
      : life_(life), machine_(machine), dataset_(life.batches * life.rows, life.bad), had_(life.batches) {}

  void run() {
    Simulation::current().memory_is_short = life_.memory_is_short;
    DataLoader loader(dataset_, options());
    while (next(loader)) {
    }
    for (std::uint64_t number = 0; number < life_.batches; ++number) {
      if (!had_[number]) check_absent(number);
    }
    while (!held_.empty()) release();
    wait_for_all_slots();
  }

 private:
  DataLoaderOptions options() const {
    return {.batch_size = life_.rows,
            .num_workers = static_cast<int>(machine_.workers),
            .prefetch_factor = life_.prefetch_factor,
            .on_bad_sample = life_.on_bad_sample,
            .bad_sample_limit = {1000, 1.0},
            .in_order = life_.in_order,
            .reorder_bytes = life_.spare_slots * bytes_of_slot(),
            .seed = kSeed,
            .max_held_batches = life_.max_held_batches,
            .on_warning = [](const std::string& /*of more workers than CPUs*/) {}};
  }

  std::size_t bytes_of_slot() const {
    return SlotTable::bytes_of_slot(BatchLayout(dataset_.schema(), life_.rows), life_.rows);
  }

  // False at the end of the epoch.
  bool next(DataLoader& loader) {
    if (Simulation::current().decide(Cost::given_up_epoch)) {
      loader.start_epoch(++epoch_);
      had_.assign(life_.batches, false);
    }
    std::optional<SampleError> error;
    try {
      auto batch = loader.next();
      if (!batch) return false;
      check(*batch);
      held_.push_back(std::move(*batch));
    } catch (const SampleError& thrown) {
      error = thrown;  // no step may be taken in here
    }
    if (error) check(*error);
    if (held_.size() > life_.held) release();
    return true;
  }

  // Each batch once, and where order matters, none behind one that comes later.
  void note(std::uint64_t number) {
    require(number < life_.batches && !had_[number], "a batch comes twice");
    for (std::uint64_t later = number + 1; later < life_.batches; ++later) {
      require(!life_.in_order || !had_[later], "a batch comes out of order");
    }
    had_[number] = true;
  }

  // A batch of which nothing is left is not delivered.
  void check_absent(std::uint64_t number) const {
    require(life_.on_bad_sample != SampleErrorPolicy::raise, "a batch is lost");
    for (std::size_t row = 0; row < life_.rows; ++row) check_skipped(number * life_.rows + row);
  }

  void check_skipped(std::uint64_t index) const {
    require(life_.on_bad_sample != SampleErrorPolicy::raise, "a sample is lost");
    require(life_.bad.include(index) || guilty(index, 2), "an innocent sample is skipped");
  }

  void check(const HostBatch& batch) {
    require(batch.epoch() == epoch_, "a batch is of another epoch");
    note(batch.number());
    const bool substitute = life_.on_bad_sample == SampleErrorPolicy::substitute;
    std::size_t row = 0;
    for (std::size_t i = 0; i < life_.rows; ++i) {
      const std::uint64_t index = batch.number() * life_.rows + i;
      const bool there = row < batch.size() && batch.indices()[row] == index;
      if (!there) check_skipped(index);
      if (there || substitute) check_row(batch, row++);
    }
    require(row == batch.size(), "a batch has a row too many");
  }

  void check_row(const HostBatch& batch, std::size_t row) const {
    const std::uint64_t index = batch.indices()[row];
    require(!life_.bad.include(index), "a bad sample is delivered");
    require(holds(batch.bytes().data(), batch.layout().offset(1), row, batch.epoch(), index),
            "a row is torn or stale");
  }

  void check(const SampleError& error) {
    require(life_.on_bad_sample == SampleErrorPolicy::raise, "an error is thrown that is to be skipped");
    note(error.batch());
    const SampleError::Origin& origin = error.origin();
    require(origin.index / life_.rows == error.batch(), "an error names a sample of another batch");
    if (origin.deaths == 0) require(life_.bad.throws == origin.index, "a good sample is said to throw");
    if (origin.deaths > 0) {
      require(life_.bad.poison == origin.index || guilty(origin.index, 2), "an innocent sample is blamed");
    }
  }

  void release() {
    const HostBatch& batch = held_.front();
    for (std::size_t row = 0; row < batch.size(); ++row) check_row(batch, row);
    held_.pop_front();
  }

  static void wait_for_all_slots() {
    Simulation& simulation = Simulation::current();
    simulation.block([&simulation] {
      return simulation.aside([] {
        const SlotTable& table = table_of_the_loader();
        bool finished = true;
        for (std::size_t slot = 0; slot < table.opened(); ++slot) finished = finished && table.finished(slot);
        return finished;
      });
    });
  }

  const LoaderLife& life_;
  const Machine& machine_;
  SteppedDataset dataset_;
  std::uint64_t epoch_ = 0;
  std::vector<bool> had_;  // batches of the epoch
  std::deque<HostBatch> held_;
};

}  // namespace

void live(const LoaderLife& life, const Machine& machine) {
  User(life, machine).run();
}

}  // namespace leat::interleaving
