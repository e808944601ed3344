#include "leat/parallel/local/slice_reduce.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
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

// Reduces as the definition says, one element at a time.
template <class T, class Narrow>
std::vector<T> rounded_sums(const std::vector<std::vector<T>>& rows, Narrow narrow) {
  std::vector<T> sums;
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    float sum = to_float(rows[0][i]);
    for (std::size_t row = 1; row < rows.size(); ++row) sum += to_float(rows[row][i]);
    sums.push_back(narrow(sum));
  }
  return sums;
}

template <class T, class Narrow>
void check_all_patterns(std::size_t ranks, Narrow narrow) {
  constexpr std::size_t kPatterns = 65'536;
  std::vector<std::vector<T>> rows(ranks, std::vector<T>(kPatterns + 5));
  for (std::size_t row = 0; row < ranks; ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      rows[row][i] =
          static_cast<T>(static_cast<std::uint16_t>((i * (row * 7919 + 1) + row * 12'345) % kPatterns));
    }
  }
  const std::vector<T> wanted = rounded_sums(rows, narrow);
  std::vector<void*> buffers;
  for (auto& row : rows) buffers.push_back(row.data());
  const std::vector<const void*> sources(buffers.begin(), buffers.end());
  slice_reduce(sources, buffers, {.first = 0, .last = wanted.size()}, dtype_of<T>, ReduceOp::sum);
  for (const std::vector<T>& row : rows) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      INFO("element " << i << " of " << ranks << " ranks");
      if (std::isnan(to_float(wanted[i]))) {
        REQUIRE(std::isnan(to_float(row[i])));
      } else {
        REQUIRE(static_cast<std::uint16_t>(row[i]) == static_cast<std::uint16_t>(wanted[i]));
      }
    }
  }
}

TEST_CASE("sums of 16-bit numbers of every pattern are rounded once, to nearest even") {
  for (const std::size_t ranks : {1, 2, 3}) {
    check_all_patterns<Half>(ranks, to_half);
    check_all_patterns<BFloat16>(ranks, to_bfloat16);
  }
}

TEST_CASE("averages are quotients of the sums, in vectors and at their ends") {
  for (const std::size_t ranks : {1, 2, 3, 7}) {
    std::vector<std::vector<float>> rows(ranks, std::vector<float>(77));
    std::vector<float> wanted(77);
    std::vector<void*> buffers;
    for (std::size_t row = 0; row < ranks; ++row) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        rows[row][i] = static_cast<float>(i * 31 + row * 7) / 3;
        wanted[i] += rows[row][i];
      }
      buffers.push_back(rows[row].data());
    }
    for (float& value : wanted) value /= static_cast<float>(ranks);
    slice_reduce(std::vector<const void*>(buffers.begin(), buffers.end()), buffers,
                 {.first = 0, .last = wanted.size()}, DType::f32, ReduceOp::average);
    INFO(ranks << " ranks");
    for (const std::vector<float>& row : rows) CHECK(row == wanted);
  }
}

TEST_CASE("an average of integers is refused") {
  std::int32_t value = 0;
  const std::vector<void*> buffers{&value};
  const std::vector<const void*> sources{&value};
  CHECK_THROWS_AS(slice_reduce(sources, buffers, {.first = 0, .last = 1}, DType::i32, ReduceOp::average),
                  ArgumentError);
}

TEST_CASE("a dtype that cannot be summed is refused") {
  std::uint8_t byte = 0;
  const std::vector<void*> buffers{&byte};
  const std::vector<const void*> sources{&byte};
  CHECK_THROWS_AS(slice_reduce(sources, buffers, {.first = 0, .last = 1}, DType::u8, ReduceOp::sum),
                  ArgumentError);
}

}  // namespace
}  // namespace leat::test
