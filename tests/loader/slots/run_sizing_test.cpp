#include "leat/loader/slots/run_sizing.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("slow and unmeasured samples are claimed one by one, tiny ones by a worker's share of the batch") {
  CHECK(RunSizing::rows_per_run(256, 2, 0) == 1);
  CHECK(RunSizing::rows_per_run(256, 2, 5'000'000) == 1);
  CHECK(RunSizing::rows_per_run(256, 2, 10'000) == 10);
  CHECK(RunSizing::rows_per_run(256, 2, 100) == 128);
  CHECK(RunSizing::rows_per_run(4, 8, 100) == 1);
  CHECK(RunSizing::rows_per_run(256, 0, 0) == 256);
}

TEST_CASE("a batch never has more runs than there are words") {
  for (const std::size_t batch : {1U, 3U, 256U, 1024U, 1025U, 100'000U}) {
    for (const std::size_t workers : {1U, 2U, 7U, 2000U}) {
      for (const std::uint64_t ns : {0U, 1U, 777U, 1'000'000U}) {
        const std::size_t rows = RunSizing::rows_per_run(batch, workers, ns);
        REQUIRE(rows >= 1);
        CHECK(divide_up(batch, rows) <= RunSizing::max_runs(batch, workers));
      }
    }
  }
}

}  // namespace
}  // namespace leat
