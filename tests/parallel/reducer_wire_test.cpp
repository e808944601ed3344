// Gradients that travel in another dtype, or as the user's function lets them.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::size_t, 3> kCounts{1, 1000, 257};

// Parameters of f32, whose gradients lie in several buckets.
struct Model {
  std::vector<std::vector<float>> values{};
  std::vector<Parameter> parameters() {
    std::vector<Parameter> list;
    for (const std::size_t count : kCounts) {
      values.emplace_back(count);
      list.push_back({.name = std::to_string(count),
                      .value = {.data = values.back().data(), .dtype = DType::f32, .shape = {count}}});
    }
    return list;
  }
};

ReducerOptions small_buckets() {
  return {.bucket_cap_mb = 0.001, .first_bucket_mb = 0.001};
}

// Reduces the ranks' gradients, all elements of all parameters one after the other. Returns what each rank gets.
std::vector<std::vector<float>> reduced(const std::vector<std::vector<float>>& gradients,
                                        const ReducerOptions& options) {
  const int ranks = static_cast<int>(gradients.size());
  const Group group = local_group(ranks, 20s);
  std::vector<std::vector<float>> results(gradients.size());
  run_ranks(ranks, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Model model;
    GradientReducer reducer(*group[r], model.parameters(), options);
    expect(reducer.bucket_count() > 1, "several buckets");
    const Stream stream = host_device().make_stream();
    for (int pass = 0; pass < 2; ++pass) {
      auto from = gradients[r].begin();
      for (std::size_t i = 0; i < kCounts.size(); ++i) {
        const auto gradient = TensorView(reducer.gradient(i)).as<float>();
        std::copy_n(from, gradient.size(), gradient.begin());
        from += static_cast<std::ptrdiff_t>(gradient.size());
        reducer.mark_ready(i);
      }
      reducer.finish(stream);
      stream.ref().synchronize();
    }
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      const auto gradient = TensorView(reducer.gradient(i)).as<float>();
      results[r].insert(results[r].end(), gradient.begin(), gradient.end());
    }
  });
  return results;
}

// Random gradients of magnitudes from 2^-20, subnormal in f16, to 2^10.
std::vector<std::vector<float>> random_gradients(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> exponents(-20, 10);
  std::vector<std::vector<float>> gradients(static_cast<std::size_t>(ranks));
  for (auto& each : gradients) {
    for (std::size_t i = 0; i < kCounts[0] + kCounts[1] + kCounts[2]; ++i)
      each.push_back(std::ldexp(normal(random), exponents(random)));
  }
  return gradients;
}

float on_wire(float value, DType wire) {
  return wire == DType::f16 ? to_float(to_half(value)) : to_float(to_bfloat16(value));
}

TEST_CASE(
    "gradients that travel in 16 bits are summed in f32, within the documented bound, alike on all ranks") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  for (const DType wire : {DType::f16, DType::bf16}) {
    const double unit = wire == DType::f16 ? 0x1p-11 : 0x1p-8,
                 subnormal = wire == DType::f16 ? 0x1p-24 : 0x1p-133;
    for (const int ranks : {1, 2, 4}) {
      INFO(name_of(wire) << ", " << ranks << " ranks");
      const auto gradients = random_gradients(ranks, seed);
      ReducerOptions options = small_buckets();
      options.wire = wire;
      const auto results = reduced(gradients, options);
      for (const auto& each : results) CHECK(same_bits(each, results[0]));
      std::size_t outside = 0, other = 0;
      for (std::size_t i = 0; i < gradients[0].size(); ++i) {
        double exact = 0, magnitudes = 0;
        float sum = 0;
        for (const auto& each : gradients) {
          exact += static_cast<double>(each[i]);
          magnitudes += std::abs(static_cast<double>(each[i]));
          sum += on_wire(each[i], wire);
        }
        const double bound = 2.1 * unit * magnitudes + subnormal * ranks;
        if (std::abs(static_cast<double>(results[0][i]) - exact) > bound) ++outside;
        if (results[0][i] != on_wire(sum, wire)) ++other;
      }
      CHECK(outside == 0);
      CHECK(other == 0);  // exactly one rounding of each gradient and one of the sum
    }
  }
}

TEST_CASE("in f16 what is too large becomes infinite, in bf16 it does not") {
  std::vector<std::vector<float>> gradients(2, std::vector<float>(kCounts[0] + kCounts[1] + kCounts[2]));
  gradients[0][0] = gradients[1][0] = 40'000;
  gradients[0][5] = 1e6F;
  gradients[1][7] = std::numeric_limits<float>::quiet_NaN();
  ReducerOptions options = small_buckets();
  options.wire = DType::f16;
  const std::vector<float> half = reduced(gradients, options)[1];
  CHECK(std::isinf(half[0]));
  CHECK(std::isinf(half[5]));
  CHECK(std::isnan(half[7]));
  options.wire = DType::bf16;
  const std::vector<float> brain = reduced(gradients, options)[1];
  CHECK(brain[0] == 79'872);  // of 8 bits
  CHECK(std::isfinite(brain[5]));
  CHECK(std::isnan(brain[7]));
}

TEST_CASE("gradients of other dtypes than f32 travel as they are") {
  const Group group = local_group(2, 20s);
  run_ranks(2, [&](int rank) {
    std::vector<double> doubles(3);
    std::vector<float> floats(3);
    std::vector<Half> halves(3);
    GradientReducer reducer(
        *group[static_cast<std::size_t>(rank)],
        {{.name = "f64", .value = {.data = doubles.data(), .dtype = DType::f64, .shape = {3}}},
         {.name = "f32", .value = {.data = floats.data(), .dtype = DType::f32, .shape = {3}}},
         {.name = "f16", .value = {.data = halves.data(), .dtype = DType::f16, .shape = {3}}}},
        {.wire = DType::bf16});
    const Stream stream = host_device().make_stream();
    TensorView(reducer.gradient(0)).as<double>()[2] = 1 + 0x1p-40;
    TensorView(reducer.gradient(1)).as<float>()[2] = 1 + 0x1p-20F;
    TensorView(reducer.gradient(2)).as<Half>()[2] = to_half(1 + 0x1p-10F);
    reducer.mark_rest_ready(stream);
    reducer.finish(stream);
    stream.ref().synchronize();
    expect_equal(TensorView(reducer.gradient(0)).as<double>()[2], 2 + 0x1p-39, "f64");
    expect_equal(TensorView(reducer.gradient(1)).as<float>()[2], 2.0F, "f32, rounded to bf16");
    expect_equal(to_float(TensorView(reducer.gradient(2)).as<Half>()[2]), 2 + 0x1p-9F, "f16");
  });
}

TEST_CASE("a wire that is none, or that only one rank has, is refused") {
  const Group group = local_group(1, 20s);
  const auto make = [&](const ReducerOptions& options) {
    Model model;
    const GradientReducer reducer(*group[0], model.parameters(), options);
  };
  expect_error<ArgumentError>([&] { make({.wire = DType::f32}); }, {"the wire is f32", "f16 or bf16"});
  expect_error<ArgumentError>(
      [&] {
        make({.wire = DType::f16, .reduce_bucket = [](const GradientBucket&, Communicator&, StreamRef) {}});
      },
      {"wire", "reduce_bucket"});
  const Group pair = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Model model;
    ReducerOptions options;
    if (rank == 1) options.wire = DType::f16;
    const GradientReducer reducer(*pair[static_cast<std::size_t>(rank)], model.parameters(), options);
  });
  for (const std::string& error : errors) CHECK_FALSE(error.empty());
}

TEST_CASE("a function of the user's reduces the buckets, in their order") {
  const auto gradients = random_gradients(3, 7);
  std::array<std::vector<std::size_t>, 3> seen;  // by rank
  ReducerOptions options = small_buckets();
  options.reduce_bucket = [&](const GradientBucket& bucket, Communicator& communicator, StreamRef stream) {
    seen[static_cast<std::size_t>(communicator.rank())].push_back(bucket.index);
    communicator.all_reduce(bucket.data, ReduceOp::sum, stream);
    auto* const data = static_cast<float*>(bucket.data.data);
    host_device().enqueue(stream, [data, count = bucket.data.count] {
      for (std::size_t i = 0; i < count; ++i) data[i] *= 2;
    });
  };
  const auto results = reduced(gradients, options), usual = reduced(gradients, small_buckets());
  for (const auto& each : results) {
    REQUIRE(each.size() == usual[0].size());
    for (std::size_t i = 0; i < each.size(); ++i) REQUIRE(each[i] == 2 * usual[0][i]);
  }
  for (const auto& each : seen) {
    REQUIRE(each.size() == seen[0].size());
    for (std::size_t i = 0; i < each.size(); ++i) CHECK(each[i] == i % (each.size() / 2));  // two passes
  }
}

TEST_CASE("a function that throws ends the communicator with its text on all ranks") {
  const Group group = local_group(2, 20s);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    Model model;
    ReducerOptions options;
    options.reduce_bucket = [](const GradientBucket& bucket, Communicator& communicator, StreamRef stream) {
      if (communicator.rank() == 1) throw std::runtime_error("planted");
      communicator.all_reduce(bucket.data, ReduceOp::sum, stream);
    };
    GradientReducer reducer(*group[static_cast<std::size_t>(rank)], model.parameters(), options);
    const Stream stream = host_device().make_stream();
    reducer.mark_rest_ready(stream);
    reducer.finish(stream);
    stream.ref().synchronize();
  });
  CHECK(errors[1] == "planted");
  INFO(errors[0]);
  CHECK(errors[0].find("rank 1: ReducerOptions::reduce_bucket threw for bucket 0: planted") !=
        std::string::npos);
}

}  // namespace
}  // namespace leat::test
