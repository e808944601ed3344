// The contract of devices that work together, over each pair of them.
#include "tests/transfer/support/pair_contract.h"

#include <catch2/catch_test_macros.hpp>
#include <iostream>

using namespace leat;

namespace {

void check_pair(const std::pair<Device*, Device*>& pair) {
  for (const test::PairClause& clause : test::pair_contract()) {
    DYNAMIC_SECTION(test::name_of(pair) << ": " << clause.name) {
      clause.check(*pair.first, *pair.second);
    }
  }
}

}  // namespace

TEST_CASE("two streams of the host keep the contract of pairs of devices") {
  check_pair({&host_device(), &host_device()});
}

TEST_CASE("the CPU and GPUs keep the contract of pairs of devices", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
    return;
  }
  for (const auto& pair : test::device_pairs()) check_pair(pair);
}
