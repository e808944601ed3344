#include "leat/parallel/gloo_communicator.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/expect_error.h"

TEST_CASE("without Gloo its communicator says so") {
  leat::test::expect_error<leat::CommunicationError>(
      [] { leat::make_gloo_communicator(leat::WorldSettings{}); }, {"built without Gloo"});
}
