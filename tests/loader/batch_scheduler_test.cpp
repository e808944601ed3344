#include "loader/batch_scheduler.h"

#include <catch2/catch_test_macros.hpp>
#include <memory>

namespace leat {
namespace {

TEST_CASE("a slot that ends draining unseen, just before the parent waits, is published again") {
  const BatchLayout layout(Schema({{"a", DType::u8, {1}}}), 1);
  const auto scheduler =
      std::make_shared<BatchScheduler>(layout, SchedulerOptions{.depth = 1, .leases = 0, .workers = 1});
  const auto epoch = [](std::uint64_t number) {
    return EpochStart{
        .epoch = number,
        .batches = std::make_shared<SampledBatches>(std::make_shared<SequentialSampler>(4), 1, false),
        .first_number = 0,
        .done = {},
        .dataset_size = 4};
  };
  SlotTable& table = scheduler->table();
  scheduler->begin_epoch(epoch(0));
  const auto abandoned = table.claim(0);
  REQUIRE(abandoned);
  scheduler->begin_epoch(epoch(1));
  CHECK_FALSE(scheduler->take());            // the only slot drains
  table.finish(*abandoned, RunState::done);  // nobody awaits it yet, so there is no signal
  table.await();
  CHECK_FALSE(scheduler->ready());
  const auto next = table.claim(0);
  REQUIRE(next);
  CHECK(table.ticket(*next).epoch == 1);
}

}  // namespace
}  // namespace leat
