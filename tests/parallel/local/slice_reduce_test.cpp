#include "leat/parallel/local/slice_reduce.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <vector>

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("slices cover all elements once, in order") {
  for (const int ranks : {1, 2, 3, 7, 64}) {
    for (const std::size_t count : {0, 1, 63, 64, 65, 1000, 4096}) {
      INFO(count << " elements, " << ranks << " ranks");
      std::size_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const ElementRange slice = slice_of(rank, ranks, count);
        CHECK(slice.first == next);
        CHECK(slice.last >= slice.first);
        CHECK((slice.last % 64 == 0 || slice.last == count));
        next = slice.last;
      }
      CHECK(next == count);
    }
  }
}

TEST_CASE("only the range is reduced, and all buffers get the result") {
  std::vector<std::vector<std::int32_t>> rows(3, std::vector<std::int32_t>(20'000));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      rows[row][i] = static_cast<std::int32_t>(i * (row + 1));
  }
  const std::vector<void*> buffers{rows[0].data(), rows[1].data(), rows[2].data()};
  slice_reduce(std::vector<const void*>(buffers.begin(), buffers.end()), buffers,
               {.first = 100, .last = 19'000}, DType::i32, ReduceOp::sum);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      const bool inside = i >= 100 && i < 19'000;
      REQUIRE(rows[row][i] == static_cast<std::int32_t>(i * (inside ? 6 : row + 1)));
    }
  }
}

TEST_CASE("integer sums wrap round") {
  std::vector<std::int64_t> a{INT64_MAX}, b{1};
  const std::vector<void*> buffers{a.data(), b.data()};
  slice_reduce(std::vector<const void*>(buffers.begin(), buffers.end()), buffers, {.first = 0, .last = 1},
               DType::i64, ReduceOp::sum);
  CHECK(a[0] == INT64_MIN);
  CHECK(b[0] == INT64_MIN);
}

}  // namespace
}  // namespace leat::test
