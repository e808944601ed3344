// The contract of devices, over each device there is.
#include "tests/transfer/support/device_contract.h"

#include <catch2/catch_test_macros.hpp>
#include <iostream>

using namespace leat;

namespace {

void check_contract(Device& device) {
  for (const test::Clause& clause : test::device_contract()) {
    DYNAMIC_SECTION(device.name() << ": " << clause.name) {
      clause.check(device);
    }
  }
}

}  // namespace

TEST_CASE("the host device keeps the contract of devices") {
  check_contract(host_device());
}

TEST_CASE("each CUDA device keeps the contract of devices", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  for (int ordinal = 0; ordinal < cuda_device_count(); ++ordinal) check_contract(cuda_device(ordinal));
}
