#include "leat/parallel/nccl_communicator.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/expect_error.h"

TEST_CASE("without NCCL its communicator says so") {
  leat::test::expect_error<leat::CommunicationError>(
      [] { leat::make_nccl_communicator(leat::WorldSettings{}, leat::host_device()); },
      {"built without NCCL"});
}
