#include "leat/loader/os/cpus.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("cpu.max is a quota over a period") {
  CHECK(parse_cpu_max("200000 100000") == 2);
  CHECK(parse_cpu_max("50000 100000\n") == 0.5);
  CHECK(std::isinf(parse_cpu_max("max 100000")));
  CHECK(std::isinf(parse_cpu_max("-1 100000")));
  CHECK(std::isinf(parse_cpu_max("")));
}

TEST_CASE("the affinity mask bounds the usable CPUs, and can be narrowed") {
  const std::vector<int> all = affinity_mask();
  REQUIRE_FALSE(all.empty());
  CHECK(usable_cpus() > 0);
  CHECK(usable_cpus() <= static_cast<double>(all.size()));
  set_affinity({all.back()});
  CHECK(affinity_mask() == std::vector<int>{all.back()});
  CHECK(usable_cpus() <= 1);
  set_affinity(all);
  CHECK(affinity_mask() == all);
}

}  // namespace
}  // namespace leat
