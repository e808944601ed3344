#include "loader/slot_table.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "loader/base/errors.h"

namespace leat {
namespace {

BatchLayout layout_of(std::size_t rows) {
  return {Schema({{"a", DType::u8, {3}}, {"b", DType::i64, {}}}), rows};
}

TEST_CASE("fields start at multiples of 256 bytes, rows follow without gaps") {
  const BatchLayout layout = layout_of(100);
  CHECK(layout.offset(0) == 0);
  CHECK(layout.offset(1) == 512);  // 300 bytes, rounded up
  CHECK(layout.bytes() == 512 + 1024);
  std::byte base{};
  CHECK(layout.view(0, &base, 7).shape == Shape{7, 3});
  CHECK(layout.view(1, &base, 7).shape == Shape{7});
  CHECK_THROWS_AS(layout_of(0), ArgumentError);
  CHECK_THROWS_AS(layout_of(~std::size_t{0} / 2), ArgumentError);
}

TEST_CASE("claim words pack and unpack") {
  const ClaimWord word{RunState::claimed, 0xfffe, ClaimWord::kMaxGeneration};
  CHECK(ClaimWord::unpack(word.pack()) == word);
  CHECK(ClaimWord{}.pack() == 0);
}

TEST_CASE("runs are claimed once each, from the oldest batch on") {
  SlotTable table(layout_of(8), {2, 4, 1});
  table.publish(1, {1, 0, 0, 8, 2});
  table.publish(0, {2, 0, 1, 3, 2});
  std::vector<std::pair<std::size_t, std::size_t>> claimed;
  std::vector<Claim> claims;
  while (const auto claim = table.claim(0)) {
    claimed.emplace_back(claim->slot, claim->run);
    claims.push_back(*claim);
  }
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{1, 0}, {1, 1}, {1, 2},
                                                                  {1, 3}, {0, 0}, {0, 1}};
  CHECK(claimed == expected);
  CHECK(table.held_by(0).size() == 6);
  CHECK(table.held_by(1).empty());
  for (const Claim& claim : claims) {
    CHECK_FALSE((table.finished(0) && table.finished(1)));
    table.finish(claim, RunState::done);
  }
  CHECK((table.finished(0) && table.finished(1)));
}

TEST_CASE("cancelling leaves claimed runs to their workers, and takes the others back") {
  SlotTable table(layout_of(8), {1, 4, 1});
  table.publish(0, {1, 0, 0, 8, 2});
  const auto claim = table.claim(0);
  table.cancel(0);
  CHECK_FALSE(table.claim(0));
  CHECK_FALSE(table.finished(0));
  table.finish(*claim, RunState::done);
  CHECK(table.finished(0));
}

TEST_CASE("a finish that comes too late for its generation changes nothing") {
  SlotTable table(layout_of(2), {1, 1, 1});
  table.publish(0, {1, 0, 0, 2, 2});
  const auto late = table.claim(0);
  table.finish(*late, RunState::done);
  table.clear(0);
  table.publish(0, {2, 0, 1, 2, 2});
  REQUIRE(table.claim(0));
  table.finish(*late, RunState::failed);
  CHECK_FALSE(table.finished(0));
  CHECK(table.failure(0) == nullptr);
}

TEST_CASE("the failure of the lowest run is the batch's") {
  SlotTable table(layout_of(4), {1, 4, 1});
  table.publish(0, {1, 0, 0, 4, 1});
  for (std::size_t run = 0; run < 4; ++run) {
    const auto claim = table.claim(0);
    table.run_failure(*claim).index = 100 + run;
    table.finish(*claim, run == 0 ? RunState::done : RunState::failed);
  }
  REQUIRE(table.failure(0) != nullptr);
  CHECK(table.failure(0)->index == 101);
}

TEST_CASE("threads: every run of many batches is written once and seen whole") {
  constexpr std::size_t kRows = 32, kBatches = 400, kSlots = 3;
  SlotTable table(layout_of(kRows), {kSlots, kRows, 3});
  std::vector<std::jthread> workers;
  for (std::size_t worker = 0; worker < 3; ++worker) {
    workers.emplace_back([&table, worker] {
      while (!table.stopping()) {
        const std::uint32_t seen = table.work_sequence();
        const auto claim = table.claim(worker);
        if (!claim) {
          if (!table.stopping()) table.wait_for_work(seen);
          continue;
        }
        const BatchTicket ticket = table.ticket(*claim);
        const std::size_t last = std::min((claim->run + 1) * ticket.rows_per_run, ticket.rows);
        for (std::size_t row = claim->run * ticket.rows_per_run; row < last; ++row) {
          auto* const sums = reinterpret_cast<std::uint64_t*>(table.columns(claim->slot)[1]);
          sums[row] += ticket.generation * 1000 + row;  // adds: a second writer would show
        }
        table.finish(*claim, RunState::done);
      }
    });
  }
  int wrong = 0;
  for (std::uint64_t generation = 1; generation <= kBatches; ++generation) {
    const std::size_t slot = generation % kSlots;
    auto* const sums = reinterpret_cast<std::uint64_t*>(table.columns(slot)[1]);
    std::fill_n(sums, kRows, 0);
    table.publish(slot, {generation, 0, generation, kRows, 1 + generation % 5});
    while (!table.finished(slot)) std::this_thread::yield();
    for (std::size_t row = 0; row < kRows; ++row) wrong += sums[row] != generation * 1000 + row;
    table.clear(slot);
  }
  table.stop();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace leat
