#include "leat/parallel/scatter.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

std::vector<std::size_t> sizes(std::size_t n, std::size_t k) {
  std::vector<std::size_t> list;
  std::size_t next = 0;
  for (const RowRange& range : chunk_rows(n, k)) {
    CHECK(range.first == next);
    next = range.last;
    list.push_back(range.size());
  }
  CHECK(next == n);
  return list;
}

using Sizes = std::vector<std::size_t>;

TEST_CASE("chunks are those of torch.chunk") {
  CHECK(sizes(10, 4) == Sizes{3, 3, 3, 1});
  CHECK(sizes(5, 4) == Sizes{2, 2, 1});
  CHECK(sizes(9, 4) == Sizes{3, 3, 3});
  CHECK(sizes(3, 4) == Sizes{1, 1, 1});
  CHECK(sizes(8, 4) == Sizes{2, 2, 2, 2});
  CHECK(sizes(7, 1) == Sizes{7});
  CHECK(sizes(0, 4).empty());
  expect_error<ArgumentError>([] { chunk_rows(3, 0); }, {"3 rows", "0 chunks"});
}

TEST_CASE("scatter gives views, and gather joins parts of unequal size in order") {
  std::vector<std::int32_t> values(30);
  std::iota(values.begin(), values.end(), 0);
  const TensorView batch{.data = values.data(), .dtype = DType::i32, .shape = {10, 3}};
  const std::vector<TensorView> parts = scatter(batch, 4);
  REQUIRE(parts.size() == 4);
  CHECK(parts[1].data == values.data() + 9);
  CHECK(parts[3].shape == Shape{1, 3});

  std::vector<std::int32_t> joined(values.size(), -1);
  const Stream stream = host_device().make_stream();
  gather(parts, {.data = joined.data(), .dtype = DType::i32, .shape = {10, 3}}, stream);
  stream.ref().synchronize();
  CHECK(joined == values);
}

TEST_CASE("gather refuses parts that do not fit, naming both") {
  std::vector<float> values(60);
  const Stream stream = host_device().make_stream();
  const TensorView part{.data = values.data(), .dtype = DType::f32, .shape = {2, 3}};
  const auto gather_into = [&](DType dtype, Shape shape) {
    const std::vector<TensorView> parts{part, part};
    gather(parts, {.data = values.data() + 30, .dtype = dtype, .shape = std::move(shape)}, stream);
  };
  expect_error<ArgumentError>(
      [&] {
        gather_into(DType::f32, {4, 4});
      },
      {"part 0", "f32 [2, 3]", "f32 [4, 4]"});
  expect_error<ArgumentError>([&] { gather_into(DType::i32, {4, 3}); }, {"f32 [2, 3]", "i32 [4, 3]"});
  expect_error<ArgumentError>(
      [&] {
        gather_into(DType::f32, {5, 3});
      },
      {"2 parts hold 4 rows", "f32 [5, 3]"});
  expect_error<ArgumentError>([&] { gather_into(DType::f32, {}); }, {"part 0"});
  expect_error<ArgumentError>([&] { scatter({.data = values.data(), .dtype = DType::f32, .shape = {}}, 2); },
                              {"scalar"});
}

}  // namespace
}  // namespace leat::test
