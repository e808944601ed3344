#include "tests/datasets/image/every_target.h"

#include <hwy/targets.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>

namespace leat::test {

void on_every_target(const std::function<void()>& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  int targets = 0;
  for (int shift = 0; shift < 63; ++shift) {
    const std::int64_t bit = std::int64_t{1} << shift;
    if ((supported & bit) == 0) continue;
    hwy::SetSupportedTargetsForTest(bit);
    INFO("instruction set " << hwy::TargetName(bit));
    body();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  CHECK(targets >= 1);
}

}  // namespace leat::test
