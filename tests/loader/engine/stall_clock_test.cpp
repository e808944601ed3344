#include "leat/loader/engine/stall_clock.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

const StallClock::Point kBegan = StallClock::Point() + std::chrono::hours(1);

TEST_CASE("warnings of a wait come after a while, then after twice as long each time") {
  StallClock clock(kBegan, 30s);
  CHECK(clock.next_warning() == kBegan + 30s);
  CHECK(clock.warned(kBegan + 31s) == 31);
  CHECK(clock.next_warning() == kBegan + 31s + 60s);
  CHECK(clock.warned(kBegan + 100s) == 100);
  CHECK(clock.next_warning() == kBegan + 100s + 120s);
}

TEST_CASE("no warning is due where none is wanted, or none can be said to be due") {
  CHECK_FALSE(StallClock(kBegan, 0s).next_warning());
  StallClock longest(kBegan, std::chrono::nanoseconds::max());
  CHECK_FALSE(longest.next_warning());
  longest.warned(kBegan);
  CHECK_FALSE(longest.next_warning());
  StallClock long_one(kBegan, std::chrono::hours(24 * 365 * 100));
  for (int i = 0; i < 10; ++i) long_one.warned(kBegan);
  CHECK_FALSE(long_one.next_warning());
}

}  // namespace
}  // namespace leat
