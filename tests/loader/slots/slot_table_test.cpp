#include "leat/loader/slots/slot_table.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <span>
#include <thread>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace leat::detail;

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
  const ChunkState word{ChunkPhase::claimed, 15, 0xfffe, ChunkState::kMaxGeneration};
  CHECK(ChunkState::unpack(word.pack()) == word);
  CHECK(ChunkState{}.pack() == 0);
}

TEST_CASE("chunks are claimed once each, from the oldest batch on") {
  SlotTable table(layout_of(8), {2, 4, 1});
  table.publish(1, {1, 0, 0, 8, 2});
  table.publish(0, {2, 0, 1, 3, 2});
  std::vector<std::pair<std::size_t, std::size_t>> claimed;
  std::vector<Claim> claims;
  while (const auto claim = table.claim(0)) {
    claimed.emplace_back(claim->slot, claim->chunk);
    claims.push_back(*claim);
  }
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{1, 0}, {1, 1}, {1, 2},
                                                                  {1, 3}, {0, 0}, {0, 1}};
  CHECK(claimed == expected);
  CHECK(table.held_by(0).size() == 6);
  CHECK(table.held_by(1).empty());
  for (const Claim& claim : claims) {
    CHECK_FALSE((table.finished(0) && table.finished(1)));
    table.finish(claim, ChunkPhase::done);
  }
  CHECK((table.finished(0) && table.finished(1)));
}

TEST_CASE("canceling leaves claimed chunks to their workers, and takes the others back") {
  SlotTable table(layout_of(8), {1, 4, 1});
  table.publish(0, {1, 0, 0, 8, 2});
  const auto claim = table.claim(0);
  table.cancel(0);
  CHECK_FALSE(table.claim(0));
  CHECK_FALSE(table.finished(0));
  table.finish(*claim, ChunkPhase::done);
  CHECK(table.finished(0));
}

TEST_CASE("a finish that comes too late for its generation changes nothing") {
  SlotTable table(layout_of(2), {1, 1, 1});
  table.publish(0, {1, 0, 0, 2, 2});
  const auto late = table.claim(0);
  table.finish(*late, ChunkPhase::done);
  table.clear(0);
  table.publish(0, {2, 0, 1, 2, 2});
  REQUIRE(table.claim(0));
  table.finish(*late, ChunkPhase::failed);
  CHECK_FALSE(table.finished(0));
  CHECK_FALSE(table.failed_chunk(0));
}

TEST_CASE("the failure of the lowest chunk is the batch's") {
  SlotTable table(layout_of(4), {1, 4, 1});
  table.publish(0, {1, 0, 0, 4, 1});
  for (std::size_t chunk = 0; chunk < 4; ++chunk) {
    const auto claim = table.claim(0);
    table.chunk_failure(*claim).index = 100 + chunk;
    table.finish(*claim, chunk == 0 ? ChunkPhase::done : ChunkPhase::failed);
  }
  REQUIRE(table.failed_chunk(0) == 1U);
  CHECK(table.failure(0, 1).index == 101);
}

TEST_CASE("what a dead worker held is loaded by its next process, from the row in progress on") {
  SlotTable table(layout_of(8), {1, 2, 2});
  table.publish(0, {1, 0, 0, 8, 4});
  const auto first = table.claim(0);
  const auto second = table.claim(1);
  REQUIRE((first && second));
  table.begin_row(*first, 2);
  table.reclaim(0, {"was killed"});
  CHECK_FALSE(table.claim(1));  // left to a fresh process of worker 0
  CHECK_FALSE(table.claim_reopened(1));
  const auto again = table.claim_reopened(0);
  REQUIRE(again);
  CHECK(again->chunk == first->chunk);
  CHECK(table.row_in_progress(*again) == 2);
  table.finish(*first, ChunkPhase::done);  // by a ghost: its word is not there any more
  CHECK_FALSE(table.finished(0));
  table.finish(*again, ChunkPhase::done);
  table.finish(*second, ChunkPhase::done);
  CHECK(table.finished(0));
  CHECK_FALSE(table.failed_chunk(0));
}

TEST_CASE("a chunk is left to whoever comes where no next process does") {
  SlotTable table(layout_of(8), {1, 2, 2});
  table.publish(0, {1, 0, 0, 8, 8});
  REQUIRE(table.claim(0));
  table.reclaim(0, {"was killed"});
  CHECK_FALSE(table.claim(1));
  table.release_reopened(0);
  CHECK(table.claim(1));
}

TEST_CASE("two deaths at one row are that row's fault, two at different rows are nobody's") {
  SlotTable table(layout_of(8), {1, 1, 1});
  table.indices(0)[5] = 77;
  table.publish(0, {1, 0, 0, 8, 8});
  auto claim = table.claim(0);
  for (const std::size_t row : {std::size_t{3}, std::size_t{4}, std::size_t{5}}) {
    REQUIRE(claim);
    table.begin_row(*claim, row);
    table.reclaim(0, {"was killed"});
    CHECK_FALSE(table.finished(0));
    claim = table.claim_reopened(0);
  }
  table.reclaim(0, {"was killed by lightning"});
  REQUIRE(table.failed_chunk(0) == 0U);
  const FailureRecord& failure = table.failure(0, 0);
  CHECK(failure.index == 77);
  CHECK(failure.row == 5);
  CHECK(failure.deaths == 2);
  CHECK(std::string(failure.text).find("lightning") != std::string::npos);
}

TEST_CASE("a death may have a limit of its own") {
  SlotTable table(layout_of(1), {1, 1, 1});
  table.publish(0, {1, 0, 0, 1, 1});
  REQUIRE(table.claim(0));
  for (int death = 1; death <= 2; ++death) {
    table.reclaim(0, {"was killed", 3});
    REQUIRE(table.claim_reopened(0));
  }
  table.reclaim(0, {"was killed", 3});
  CHECK(table.failed_chunk(0) == 0U);
  CHECK(table.failure(0, 0).deaths == 3);
}

TEST_CASE("a failed chunk goes on behind its bad row") {
  SlotTable table(layout_of(3), {1, 1, 1});
  table.publish(0, {1, 0, 0, 3, 3});
  auto claim = table.claim(0);
  table.begin_row(*claim, 1);
  table.finish(*claim, ChunkPhase::failed);
  table.reopen_after_failure(0, 0);
  CHECK_FALSE(table.finished(0));
  claim = table.claim(0);
  REQUIRE(claim);
  CHECK(table.row_in_progress(*claim) == 2);
  table.finish(*claim, ChunkPhase::failed);
  table.reopen_after_failure(0, 0);  // nothing is left behind the last row
  CHECK(table.finished(0));
  CHECK_FALSE(table.failed_chunk(0));
}

TEST_CASE("a canceled batch is finished when its dead worker is taken care of") {
  SlotTable table(layout_of(4), {1, 2, 1});
  table.publish(0, {1, 0, 0, 4, 2});
  REQUIRE(table.claim(0));
  table.cancel(0);
  CHECK_FALSE(table.finished(0));
  table.reclaim(0, {"was killed"});
  CHECK(table.finished(0));
  CHECK_FALSE(table.claim_reopened(0));
}

TEST_CASE("spare slots are there when they are opened, one after the other") {
  SlotTable table(layout_of(2), {.slots = 2, .chunks = 2, .workers = 1, .spare = 2});
  CHECK(table.slots() == 2);
  for (std::size_t slot = 2; slot < 4; ++slot) {
    CHECK(table.opened() == slot);
    REQUIRE(table.open_next());
    CHECK(table.columns(slot)[0] == table.data(slot));
    CHECK(table.columns(slot)[1] == table.data(slot) + table.layout().offset(1));
    CHECK(table.indices(slot).data() == table.indices(slot - 1).data() + 2);
    CHECK(std::count(table.data(slot), table.data(slot) + table.layout().bytes(), std::byte{0}) ==
          static_cast<std::ptrdiff_t>(table.layout().bytes()));
    CHECK(table.finished(slot));
  }
  CHECK_FALSE(table.open_next());
  CHECK(table.opened() == 4);
}

TEST_CASE("spare slots share no page with the memory that is to be page-locked") {
  SlotTable table(layout_of(1), {.slots = 3, .spare = 1});
  CHECK(table.slot_memory().size() == 3 * 512);
  REQUIRE(table.open_next());
  const std::byte* const end = table.slot_memory().data() + table.slot_memory().size();
  CHECK(static_cast<std::size_t>(table.data(3) - table.slot_memory().data()) % page_size() == 0);
  CHECK(static_cast<std::size_t>(table.data(3) - end) >= page_size());
}

// "a" and "b" lie on either side of ragged values that take `pages` pages of each slot.
BatchLayout ragged_layout(std::size_t pages) {
  const Field ragged = Field::ragged("ragged", DType::u8, {.max_length = pages * page_size() / 2});
  return {Schema({{"a", DType::u8, {3}}, ragged, {"b", DType::i64, {}}}), 2};
}

bool holds(std::span<std::byte> part, const std::byte* first, std::size_t bytes) {
  return part.data() <= first && first + bytes <= part.data() + part.size();
}

TEST_CASE("of slots with ragged fields, the taken pages are those that hold anything but their values") {
  const SlotTable table(ragged_layout(5), {.slots = 3, .spare = 1});
  CHECK(table.slot_memory().empty());
  const auto parts = table.taken_slot_memory();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CHECK(reinterpret_cast<std::uintptr_t>(parts[i].data()) % page_size() == 0);
    CHECK(parts[i].size() % page_size() == 0);
    CHECK(parts[i].size() <= 2 * page_size());
    if (i > 0) CHECK(parts[i - 1].data() + parts[i - 1].size() < parts[i].data());
  }
  for (std::size_t slot = 0; slot < 3; ++slot) {
    for (const BatchLayout::Part& fixed : table.layout().fixed_parts()) {
      CHECK(std::ranges::count_if(parts, [&](std::span<std::byte> part) {
              return holds(part, table.data(slot) + fixed.offset, fixed.bytes);
            }) == 1);
    }
    const std::byte* const middle = table.data(slot) + table.layout().offset(1) + 5 * page_size() / 2;
    CHECK(std::ranges::none_of(parts, [&](std::span<std::byte> part) { return holds(part, middle, 1); }));
  }
}

TEST_CASE("slots that are taken whole are one part of whole pages") {
  for (const BatchLayout& layout :
       {layout_of(1), ragged_layout(1)}) {  // the latter's values have no page of their own
    const SlotTable table(layout, {.slots = 3, .spare = 1});
    const auto parts = table.taken_slot_memory();
    REQUIRE(parts.size() == 1);
    CHECK(holds(parts[0], table.data(0), 3 * layout.bytes()));
    CHECK(parts[0].size() < 3 * layout.bytes() + page_size());
  }
}

TEST_CASE("a spare slot's batch is claimed in its turn, taken back from the dead, and given up") {
  SlotTable table(layout_of(1), {.slots = 1, .chunks = 1, .workers = 2, .spare = 1});
  REQUIRE(table.open_next());
  table.publish(1, {1, 0, 0, 1, 1});
  table.publish(0, {2, 0, 1, 1, 1});
  const auto oldest = table.claim(0);
  REQUIRE(oldest);
  CHECK(oldest->slot == 1);
  CHECK(table.held_by(0).size() == 1);
  table.reclaim(0, {"was killed"});
  REQUIRE(table.claim_reopened(0));
  table.reclaim(0, {"was killed", 3});
  table.release_reopened(0);
  const auto again = table.claim(1);
  REQUIRE(again);
  CHECK(again->slot == 1);
  table.restart();
  CHECK(table.finished(1));
  CHECK_FALSE(table.finished(0));
}

TEST_CASE("where there is no memory for a spare slot, the table stays as it was") {
  const std::size_t too_much = std::min(available_memory(), std::size_t{1} << 40) + (std::size_t{1} << 30);
  const BatchLayout layout(Schema({{"a", DType::u8, {too_much}}}), 1);
  SlotTable table(layout, {.slots = 0, .spare = 1});
  CHECK_FALSE(table.open_next());
  CHECK(table.opened() == 0);
  CHECK_THROWS_AS(SlotTable(layout, {.slots = 1}), MemoryError);
}

TEST_CASE("threads: every chunk of many batches is written once and seen whole") {
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
        const BatchDescriptor descriptor = table.batch_descriptor(*claim);
        const std::size_t last = std::min((claim->chunk + 1) * descriptor.rows_per_chunk, descriptor.rows);
        for (std::size_t row = claim->chunk * descriptor.rows_per_chunk; row < last; ++row) {
          auto* const sums = reinterpret_cast<std::uint64_t*>(table.columns(claim->slot)[1]);
          sums[row] += descriptor.generation * 1000 + row;  // adds: a second writer would show
        }
        table.finish(*claim, ChunkPhase::done);
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
