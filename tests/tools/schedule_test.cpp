#include "tools/train/schedule.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using leat::tools::learning_rate;

TEST_CASE("the learning rate rises to its peak and falls along a cosine") {
  // 100 steps: 5 rising ones in sixths, then the peak; half of it half-way through the other 95.
  CHECK(learning_rate(6, 0, 100) == Catch::Approx(1));
  CHECK(learning_rate(6, 4, 100) == Catch::Approx(5));
  CHECK(learning_rate(6, 5, 100) == Catch::Approx(6));
  CHECK(learning_rate(6, 99, 100) < 0.01);
  CHECK(learning_rate(6, 99, 100) > 0);
  CHECK(learning_rate(6, 10, 20) + learning_rate(6, 11, 20) ==
        Catch::Approx(6));  // 9/19 and 10/19 of the way
  CHECK(learning_rate(6, 0, 1) == 6);
}
