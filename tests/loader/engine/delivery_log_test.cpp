#include "leat/loader/engine/delivery_log.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("a delivery log closes gaps") {
  DeliveryLog log;
  log.delivered(1, 4);
  log.delivered(2, 4);
  CHECK(log.batches() == 0);
  CHECK(log.was_delivered(2));
  CHECK_FALSE(log.was_delivered(0));
  log.delivered(0, 3);
  CHECK(log.batches() == 3);
  CHECK(log.samples() == 11);
  CHECK(log.ahead().empty());
  log.delivered(3, 2);
  CHECK(log.batches() == 4);
  CHECK(log.samples() == 13);
}

TEST_CASE("a delivery log that is restored has no gap filled") {
  DeliveryLog log(2, 8, {{2, 4}, {4, 3}});
  CHECK(log.batches() == 3);
  CHECK(log.samples() == 12);
  log.delivered(3, 4);
  CHECK(log.batches() == 5);
  CHECK(log.samples() == 19);
  CHECK(log.ahead().empty());
}

}  // namespace
}  // namespace leat
