#include "leat/loader/workers/crash_loop_breaker.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("three deaths without a finished sample are bad luck, the fourth ends it") {
  CrashLoopBreaker breaker(1);
  for (int death = 1; death <= 3; ++death) CHECK_FALSE(breaker.died(10));
  CHECK(breaker.died(10));
}

TEST_CASE("a finished sample makes up for all deaths before it") {
  CrashLoopBreaker breaker(2);
  for (std::uint64_t finished = 0; finished < 100; ++finished) {
    for (int death = 1; death <= 3; ++death) CHECK_FALSE(breaker.died(finished));
  }
}

TEST_CASE("as many workers may die at once as there are") {
  CrashLoopBreaker breaker(8);
  for (int death = 1; death <= 8; ++death) CHECK_FALSE(breaker.died(0));
  CHECK(breaker.died(0));
}

}  // namespace
}  // namespace leat
