#include "leat/parallel/reduce/bucket_schedule.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <random>

#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using Indices = std::vector<std::size_t>;

// Runs one backward pass in `order` and checks the schedule's promises after every step.
void check_order(BucketSchedule& schedule, const Indices& bucket_of, const Indices& order) {
  std::vector<bool> ready(bucket_of.size(), false);
  std::size_t launched = 0;
  for (const std::size_t i : order) {
    ready[i] = true;
    const BucketSchedule::Launch launch = schedule.mark_ready(i);
    REQUIRE(launch.first == launched);  // each once, in order
    REQUIRE(launch.last >= launch.first);
    launched = launch.last;
    for (std::size_t j = 0; j < bucket_of.size(); ++j) {
      if (bucket_of[j] < launched) REQUIRE(ready[j]);  // not before its gradients
    }
    const bool next_complete = [&] {  // and not later than possible
      bool exists = false, complete = true;
      for (std::size_t j = 0; j < bucket_of.size(); ++j) {
        if (bucket_of[j] != launched) continue;
        exists = true;
        complete = complete && ready[j];
      }
      return exists && complete;
    }();
    REQUIRE_FALSE(next_complete);
    REQUIRE(schedule.missing().size() ==
            static_cast<std::size_t>(std::count(ready.begin(), ready.end(), false)));
  }
  REQUIRE(schedule.complete());
}

TEST_CASE("every order of six gradients in three buckets launches as early as allowed") {
  const Indices bucket_of{2, 1, 1, 0, 0, 0};
  BucketSchedule schedule(bucket_of);
  Indices order(bucket_of.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    check_order(schedule, bucket_of, order);
    schedule.reset();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("random layouts in random orders keep the promises") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const std::size_t buckets = 1 + random() % 8;
    Indices bucket_of;
    for (std::size_t b = 0; b < buckets; ++b) bucket_of.insert(bucket_of.end(), 1 + random() % 5, b);
    std::shuffle(bucket_of.begin(), bucket_of.end(), random);
    BucketSchedule schedule(bucket_of);
    Indices order(bucket_of.size());
    std::iota(order.begin(), order.end(), 0);
    for (int pass = 0; pass < 2; ++pass) {
      std::shuffle(order.begin(), order.end(), random);
      check_order(schedule, bucket_of, order);
      schedule.reset();
    }
  }
}

TEST_CASE("a gradient is ready once, and exists") {
  BucketSchedule schedule({0, 0});
  schedule.mark_ready(1);
  expect_error<ArgumentError>([&] { schedule.mark_ready(1); }, {"gradient 1", "before"});
  expect_error<ArgumentError>([&] { schedule.mark_ready(2); }, {"gradient 2", "there are 2"});
  CHECK(schedule.missing() == Indices{0});
  CHECK_FALSE(schedule.complete());
}

TEST_CASE("no gradients are complete from the start") {
  CHECK(BucketSchedule({}).complete());
}

}  // namespace
}  // namespace leat::test
