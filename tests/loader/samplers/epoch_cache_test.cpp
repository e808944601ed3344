#include "leat/loader/samplers/epoch_cache.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("a value is made once per change of epoch, and a reader keeps the one it has") {
  const EpochCache<std::uint64_t> cache;
  int made = 0;
  const auto squared = [&](std::uint64_t epoch) {
    return cache.get(epoch, [&] {
      ++made;
      return epoch * epoch;
    });
  };
  const auto first = squared(0);
  CHECK(*first == 0);
  CHECK(*squared(0) == 0);
  CHECK(made == 1);
  CHECK(*squared(7) == 49);
  CHECK(*squared(7) == 49);
  CHECK(made == 2);
  CHECK(*squared(0) == 0);
  CHECK(made == 3);
  CHECK(*first == 0);
}

TEST_CASE("a value that could not be made is made when it is asked for again") {
  const EpochCache<int> cache;
  const auto fail = []() -> int { throw std::runtime_error("no memory"); };
  CHECK(*cache.get(1, [] { return 10; }) == 10);
  CHECK_THROWS_AS(cache.get(2, fail), std::runtime_error);
  CHECK(*cache.get(1, [] { return 11; }) == 11);
  CHECK(*cache.get(2, [] { return 20; }) == 20);
}

TEST_CASE("threads that ask for different epochs each get theirs") {
  const EpochCache<std::vector<std::uint64_t>> cache;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::uint64_t epoch = (i + thread) % 3;
        const auto value = cache.get(epoch, [&] { return std::vector(50, epoch); });
        if (*value != std::vector(50, epoch)) ++wrong;
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace leat
