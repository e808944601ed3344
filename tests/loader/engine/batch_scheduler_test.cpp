#include "leat/loader/engine/batch_scheduler.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <memory>
#include <utility>

#include "leat/loader/engine/resolved_options.h"

namespace leat {

using namespace leat::detail;

namespace {

EpochStart epoch_of(std::uint64_t number, std::size_t samples) {
  return {.epoch = number,
          .batches =
              std::make_shared<FixedSizeBatchSampler>(std::make_shared<SequentialSampler>(samples), 1, false),
          .earlier = {},
          .done = {},
          .dataset_size = samples};
}

// A scheduler of batches of one byte, the sample's index; the test is its workers.
class Rig {
 public:
  static constexpr std::size_t kDepth = 2, kHeld = 1, kCommon = kDepth + kHeld;

  explicit Rig(std::size_t reorder_bytes, std::size_t samples = 20)
      : scheduler(std::make_shared<BatchScheduler>(
            layout(),
            SchedulerOptions{
                .depth = kDepth, .max_held_batches = kHeld, .workers = 2, .reorder_bytes = reorder_bytes})),
        samples_(samples) {
    begin_epoch(0);
  }

  static BatchLayout layout() { return {Schema({{"a", DType::u8, {1}}}), 1}; }
  static std::size_t bytes_of(std::size_t slots) { return slots * SlotTable::bytes_of_slot(layout(), 1); }

  void begin_epoch(std::uint64_t number) { scheduler->begin_epoch(epoch_of(number, samples_)); }
  void finish(const Claim& claim) {
    SlotTable& table = scheduler->table();
    *table.columns(claim.slot)[0] = static_cast<std::byte>(table.indices(claim.slot)[0]);
    table.finish(claim, ChunkPhase::done);
  }
  // Worker 1 loads what there is to load, and the parent looks, until there is no more. How many batches.
  std::size_t load_all() {
    std::size_t loaded = 0;
    while (const auto claim = scheduler->table().claim(1)) {
      finish(*claim);
      scheduler->ready();
      ++loaded;
    }
    return loaded;
  }
  // Takes the rest of the epoch, each batch in its turn, and loads meanwhile.
  void expect_batches(std::uint64_t from) {
    for (std::uint64_t number = from; number < samples_; ++number) {
      load_all();
      const auto batch = scheduler->take();
      REQUIRE(batch);
      CHECK(batch->number() == number);
      CHECK(batch->indices()[0] == number);
      CHECK((*batch)["a"].as<std::uint8_t>()[0] == number);
    }
    CHECK(scheduler->epoch_finished());
  }

  std::shared_ptr<BatchScheduler> scheduler;

 private:
  const std::size_t samples_;
};

TEST_CASE("a slot that ends draining unseen, just before the parent waits, is published again") {
  const BatchLayout layout(Schema({{"a", DType::u8, {1}}}), 1);
  const auto scheduler = std::make_shared<BatchScheduler>(
      layout, SchedulerOptions{.depth = 1, .max_held_batches = 0, .workers = 1});
  SlotTable& table = scheduler->table();
  scheduler->begin_epoch(epoch_of(0, 4));
  const auto abandoned = table.claim(0);
  REQUIRE(abandoned);
  scheduler->begin_epoch(epoch_of(1, 4));
  CHECK_FALSE(scheduler->take());              // the only slot drains
  CHECK_FALSE(table.claim(0));                 // so that nothing is published in it
  table.finish(*abandoned, ChunkPhase::done);  // nobody awaits it yet, so there is no signal
  table.await();
  CHECK_FALSE(scheduler->ready());
  const auto next = table.claim(0);
  REQUIRE(next);
  CHECK(table.batch_descriptor(*next).epoch == 1);
}

TEST_CASE("while the oldest batch is loaded, the others run ahead as far as spare slots go") {
  Rig rig(Rig::bytes_of(4) - 1);  // three of them
  const auto oldest = rig.scheduler->table().claim(0);
  REQUIRE(oldest);
  CHECK(rig.scheduler->counts().slots == Rig::kCommon);
  CHECK(rig.load_all() == Rig::kCommon + 3 - 1);
  const SchedulerCounts counts = rig.scheduler->counts();
  CHECK(counts.slots == Rig::kCommon + 3);
  CHECK(counts.in_flight == Rig::kCommon + 3);
  CHECK(counts.ready == Rig::kCommon + 3 - 1);
  CHECK_FALSE(rig.scheduler->take());
  rig.finish(*oldest);
  rig.expect_batches(0);
}

TEST_CASE("there are at most fifteen spare slots for each batch in flight") {
  Rig rig(Rig::bytes_of(1000), 100);
  const auto oldest = rig.scheduler->table().claim(0);
  REQUIRE(oldest);
  CHECK(rig.load_all() == Rig::kCommon + 15 * Rig::kDepth - 1);
  rig.finish(*oldest);
  rig.expect_batches(0);
}

TEST_CASE("without spare slots no more than the depth is in flight") {
  Rig rig(0);
  const auto oldest = rig.scheduler->table().claim(0);
  REQUIRE(oldest);
  CHECK(rig.load_all() == Rig::kDepth - 1);
  CHECK(rig.scheduler->counts().slots == Rig::kCommon);
  rig.finish(*oldest);
  rig.expect_batches(0);
}

TEST_CASE("no spare slot is opened while there is enough to load, or the oldest batch is there") {
  Rig rig(Rig::bytes_of(3));
  const auto oldest = rig.scheduler->table().claim(0);
  const auto second = rig.scheduler->table().claim(1);
  REQUIRE((oldest && second));
  CHECK_FALSE(rig.scheduler->ready());
  CHECK(rig.scheduler->counts().in_flight == Rig::kDepth);
  rig.finish(*oldest);
  rig.finish(*second);
  CHECK(rig.scheduler->ready());
  CHECK(rig.scheduler->counts().in_flight == Rig::kDepth);
  CHECK(rig.scheduler->counts().slots == Rig::kCommon);
}

TEST_CASE("an epoch that has run ahead is given up while a spare slot is written") {
  Rig rig(Rig::bytes_of(2));
  SlotTable& table = rig.scheduler->table();
  const auto oldest = table.claim(0);
  REQUIRE(oldest);
  auto other = table.claim(1);
  for (; other && other->slot < Rig::kCommon; other = table.claim(1)) {
    rig.finish(*other);
    rig.scheduler->ready();
  }
  REQUIRE(other);
  rig.begin_epoch(1);
  rig.finish(*oldest);
  rig.finish(*other);
  rig.expect_batches(0);
}

TEST_CASE("a consumer may hold as many batches as there are common slots, however many are ready") {
  Rig rig(Rig::bytes_of(5));
  const auto oldest = rig.scheduler->table().claim(0);
  REQUIRE(oldest);
  rig.load_all();
  rig.finish(*oldest);
  std::deque<HostBatch> held;
  for (std::size_t i = 0; i < Rig::kCommon; ++i) {
    CHECK_FALSE(rig.scheduler->starved());
    auto batch = rig.scheduler->take();
    REQUIRE(batch);
    held.push_back(std::move(*batch));
  }
  CHECK(rig.scheduler->starved());
  CHECK_FALSE(rig.scheduler->take());
  held.clear();
  CHECK_FALSE(rig.scheduler->starved());
  rig.expect_batches(Rig::kCommon);
}

TEST_CASE("spare slots are for several workers that load in order") {
  constexpr std::size_t kBytes = 12345;
  const auto bytes_of = [](DataLoaderOptions options) {
    options.reorder_bytes = kBytes;
    return resolve(options).scheduling.reorder_bytes;
  };
  CHECK(bytes_of({.num_workers = 2}) == kBytes);
  CHECK(bytes_of({.num_workers = 0}) == 0);
  CHECK(bytes_of({.num_workers = 1}) == 0);
  CHECK(bytes_of({.num_workers = 2, .in_order = false}) == 0);
  CHECK(resolve({.num_workers = 2}).scheduling.reorder_bytes == std::size_t{64} << 20);
}

TEST_CASE("a chunk that fails again while its first bad row is set aside is not taken for settled") {
  const BatchLayout layout(Schema({{"a", DType::u8, {1}}}), 2);
  const auto scheduler = std::make_shared<BatchScheduler>(
      layout,
      SchedulerOptions{
          .depth = 1, .max_held_batches = 1, .workers = 1, .on_bad_sample = SampleErrorPolicy::substitute});
  SlotTable& table = scheduler->table();
  EpochStart start = epoch_of(0, 2);
  start.batches = std::make_shared<FixedSizeBatchSampler>(std::make_shared<SequentialSampler>(2), 2, false);
  table.measured(1'000'000, 1'000'000);  // samples are tiny, so a chunk has several
  scheduler->begin_epoch(start);
  // Both rows are in one chunk, the first of which is bad.
  const auto fail = [&](const Claim& claim, std::uint32_t row) {
    table.begin_row(claim, row);
    table.chunk_failure(claim).row = row;
    table.chunk_failure(claim).index = row;
    table.finish(claim, ChunkPhase::failed);
  };
  const auto first = table.claim(0);
  REQUIRE(first);
  REQUIRE(table.batch_descriptor(*first).rows_per_chunk == 2);
  fail(*first, 0);
  CHECK_FALSE(scheduler->take());  // row 0 is set aside, row 1 goes to the workers
  const auto again = table.claim(0);
  REQUIRE(again);
  fail(*again, 1);
  CHECK_FALSE(scheduler->take());  // nothing is left of the batch
  CHECK(scheduler->bad_sample_count() == 2);
  CHECK(scheduler->epoch_finished());
}

}  // namespace
}  // namespace leat
