#include "leat/loader/slots/chunk_sizing.h"

#include <catch2/catch_test_macros.hpp>

namespace leat {

using namespace leat::detail;

namespace {

TEST_CASE("slow and unmeasured samples are claimed one by one, tiny ones by a worker's share of the batch") {
  CHECK(ChunkSizing::rows_per_chunk(256, 2, 0) == 1);
  CHECK(ChunkSizing::rows_per_chunk(256, 2, 5'000'000) == 1);
  CHECK(ChunkSizing::rows_per_chunk(256, 2, 10'000) == 10);
  CHECK(ChunkSizing::rows_per_chunk(256, 2, 100) == 128);
  CHECK(ChunkSizing::rows_per_chunk(4, 8, 100) == 1);
  CHECK(ChunkSizing::rows_per_chunk(256, 0, 0) == 256);
}

TEST_CASE("a batch never has more chunks than there are words") {
  for (const std::size_t batch : {1U, 3U, 256U, 1024U, 1025U, 100'000U}) {
    for (const std::size_t workers : {1U, 2U, 7U, 2000U}) {
      for (const std::uint64_t ns : {0U, 1U, 777U, 1'000'000U}) {
        const std::size_t rows = ChunkSizing::rows_per_chunk(batch, workers, ns);
        REQUIRE(rows >= 1);
        CHECK(divide_up(batch, rows) <= ChunkSizing::max_chunks(batch, workers));
      }
    }
  }
}

}  // namespace
}  // namespace leat
