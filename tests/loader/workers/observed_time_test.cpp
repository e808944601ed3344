#include "leat/loader/workers/observed_time.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("time passes while somebody looks often enough") {
  ObservedTime time(10);
  CHECK(time.look(100, 104) == 4);
  CHECK(time.look(100, 110) == 10);
  CHECK(time.look(100, 120) == 20);
  CHECK(time.look(121, 125) == 4);  // another thing
  CHECK(time.look(0, 130) == 0);
  CHECK(time.look(0, 135) == 0);
  CHECK(time.look(137, 140) == 3);
}

TEST_CASE("a gap between two looks counts for so much only") {
  ObservedTime time(10);
  CHECK(time.look(100, 105) == 5);
  CHECK(time.look(100, 1105) == 15);
  CHECK(time.look(100, 1110) == 20);
  CHECK(time.look(1112, 5000) == 10);  // of something that nobody had looked at before
}

TEST_CASE("what was slept through does not count at all") {
  ObservedTime time(10);
  CHECK(time.look(100, 105) == 5);
  time.excuse(1105);
  CHECK(time.look(100, 1108) == 8);
  time.excuse(2000);
  CHECK(time.look(1999, 2004) == 4);  // began while nobody looked
  CHECK(time.look(1999, 2010) == 10);
}

TEST_CASE("a worker that hangs is found however seldom it is looked at") {
  ObservedTime time(10);
  std::uint64_t now = 0, observed = 0;
  for (int look = 0; look < 10; ++look) observed = time.look(1, now += 1000);
  CHECK(observed == 100);
}

}  // namespace
}  // namespace leat
