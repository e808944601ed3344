// Loops over the batches of an epoch.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using test::ArithmeticDataset;
using test::Workers;

using Numbers = std::vector<std::uint64_t>;

// Samples 4, 5 and 17 are bad: batches 1 and 5 of three samples are lost.
const test::HookedDataset& dataset_with_bad_samples() {
  static const test::HookedDataset dataset(20, [](std::size_t index) {
    if (index == 4 || index == 5 || index == 17) throw std::runtime_error("bad");
  });
  return dataset;
}

LEAT_LOADER_TEST(loop_goes_on, "a loop with an error handler goes on behind each lost batch") {
  DataLoader loader(dataset_with_bad_samples(), workers.with({.batch_size = 3}));
  Numbers numbers, lost;
  for (HostBatch& batch :
       loader.epoch(0, [&](const SampleError& error) { lost.push_back(error.origin().index); })) {
    numbers.push_back(batch.number());
  }
  CHECK(numbers == Numbers{0, 2, 3, 4, 6});
  CHECK(lost == Numbers{4, 17});
}

LEAT_LOADER_TEST(rest_goes_on, "rest() goes on behind an exception that ended a loop") {
  DataLoader loader(dataset_with_bad_samples(), workers.with({.batch_size = 3}));
  Numbers numbers;
  std::size_t lost = 0;
  bool ended = false;
  loader.start_epoch(0);
  while (!ended) {
    try {
      for (HostBatch& batch : loader.rest()) numbers.push_back(batch.number());
      ended = true;
    } catch (const SampleError&) {
      ++lost;
    }
  }
  CHECK(numbers == Numbers{0, 2, 3, 4, 6});
  CHECK(lost == 2);
}

TEST_CASE("what the error handler throws ends the loop") {
  DataLoader loader(dataset_with_bad_samples(), {.batch_size = 3});
  CHECK_THROWS_AS(
      [&] {
        for (HostBatch& batch : loader.epoch(0, [](const SampleError&) { throw std::logic_error("enough"); }))
          CHECK(batch.number() == 0);
      }(),
      std::logic_error);
}

LEAT_LOADER_TEST(moved, "a loop goes on when its loader is moved") {
  const ArithmeticDataset dataset(30);
  DataLoader loader(dataset, workers.with({.batch_size = 3}));
  std::optional<DataLoader> elsewhere;
  std::uint64_t number = 0;
  for (HostBatch& batch : loader.epoch(0)) {
    test::check_rows(batch, 0);
    CHECK(batch.number() == number++);
    if (batch.number() == 4) elsewhere.emplace(std::move(loader));
  }
  CHECK(number == 10);
  test::expect_error<ArgumentError>([&] { loader.next(); }, {"moved from"});
  test::expect_error<ArgumentError>([&] { loader.size(); }, {"moved from"});
  CHECK(elsewhere->next()->epoch() == 1);
}

}  // namespace
}  // namespace leat
