#include "leat/parallel/reduce/bucket_layout.h"

#include <catch2/catch_test_macros.hpp>

namespace leat::test {

using namespace leat::detail;

namespace {

using Indices = std::vector<std::size_t>;

TEST_CASE("buckets follow the parameters in reverse, the first one small") {
  const std::vector<GradientSize> sizes(6, {.dtype = DType::f32, .count = 64});  // 256 bytes each
  const BucketLayout layout = lay_out_buckets(sizes, reverse_order(sizes.size()), 256, 512);
  REQUIRE(layout.buckets.size() == 4);
  CHECK(layout.buckets[0].parameters == Indices{5});
  CHECK(layout.buckets[1].parameters == Indices{4, 3});
  CHECK(layout.buckets[2].parameters == Indices{2, 1});
  CHECK(layout.buckets[3].parameters == Indices{0});
  CHECK(layout.bytes == 1536);
  CHECK(layout.bucket_of == Indices{3, 2, 2, 1, 1, 0});
  CHECK(layout.offset_of == Indices{1280, 1024, 768, 512, 256, 0});
}

TEST_CASE("buckets follow any order of the gradients") {
  const std::vector<GradientSize> sizes(4, {.dtype = DType::f32, .count = 64});
  const BucketLayout layout = lay_out_buckets(sizes, Indices{2, 0, 3, 1}, 256, 512);
  REQUIRE(layout.buckets.size() == 3);
  CHECK(layout.buckets[0].parameters == Indices{2});
  CHECK(layout.buckets[1].parameters == Indices{0, 3});
  CHECK(layout.buckets[2].parameters == Indices{1});
  CHECK(layout.bucket_of == Indices{1, 2, 0, 1});
  CHECK(layout.offset_of == Indices{256, 768, 0, 512});
}

TEST_CASE("a gradient above the cap has a bucket of its own") {
  const std::vector<GradientSize> sizes{{.dtype = DType::f32, .count = 10},
                                        {.dtype = DType::f32, .count = 100'000}};
  const BucketLayout layout = lay_out_buckets(sizes, reverse_order(sizes.size()), 1, 1);
  REQUIRE(layout.buckets.size() == 2);
  CHECK(layout.buckets[0].parameters == Indices{1});
  CHECK(layout.buckets[0].bytes == 400'128);  // 400,000 rounded up to 256
  CHECK(layout.buckets[1].bytes == 256);
}

TEST_CASE("a bucket holds one dtype") {
  const std::vector<GradientSize> sizes{{.dtype = DType::f16, .count = 4},
                                        {.dtype = DType::f32, .count = 4},
                                        {.dtype = DType::f32, .count = 4}};
  const BucketLayout layout = lay_out_buckets(sizes, reverse_order(sizes.size()), 1 << 20, 1 << 20);
  REQUIRE(layout.buckets.size() == 2);
  CHECK(layout.buckets[0].dtype == DType::f32);
  CHECK(layout.buckets[0].parameters == Indices{2, 1});
  CHECK(layout.buckets[1].dtype == DType::f16);
}

TEST_CASE("no parameters need no bucket, and empty ones no bytes") {
  CHECK(lay_out_buckets({}, {}, 1, 1).buckets.empty());
  const std::vector<GradientSize> sizes{{.dtype = DType::f32, .count = 0}};
  const BucketLayout layout = lay_out_buckets(sizes, reverse_order(sizes.size()), 1, 1);
  REQUIRE(layout.buckets.size() == 1);
  CHECK(layout.bytes == 0);
}

}  // namespace
}  // namespace leat::test
