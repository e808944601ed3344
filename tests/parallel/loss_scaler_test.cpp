#include "leat/parallel/loss_scaler.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>

#include "leat/parallel/gradient_clipping.h"
#include "leat/parallel/gradient_reducer.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST_CASE("the scale doubles after 2000 good steps in a row and halves after an overflow") {
  LossScaler scaler;
  CHECK(scaler.scale() == 65536);
  for (int step = 0; step < 1999; ++step) scaler.update(false);
  CHECK(scaler.scale() == 65536);
  scaler.update(false);
  CHECK(scaler.scale() == 131072);
  for (int step = 0; step < 1999; ++step) scaler.update(false);
  scaler.update(true);
  CHECK(scaler.scale() == 65536);
  for (int step = 0; step < 1999; ++step) scaler.update(false);
  CHECK(scaler.scale() == 65536);
  scaler.update(false);
  CHECK(scaler.scale() == 131072);
}

TEST_CASE("the scale stays between 1 and the largest f32, and an overflow at 1 is an error") {
  LossScaler small({.initial_scale = 1.5});
  small.update(true);
  CHECK(small.scale() == 1);
  small.update(false);
  expect_error<NonFiniteGradients>([&] { small.update(true); }, {"not scaled"});
  CHECK(small.scale() == 1);
  CHECK(small.state().good_steps == 0);
  small.update(false);
  CHECK(small.state().good_steps == 1);

  LossScaler large({.growth_interval = 1});
  for (int step = 0; step < 300; ++step) large.update(false);
  CHECK(large.scale() == 0x1p127);
  large.update(true);
  CHECK(large.scale() == 0x1p126);
}

TEST_CASE("a scaler goes on where another one was") {
  LossScaler scaler({.growth_interval = 3});
  scaler.update(true);
  scaler.update(false);
  scaler.update(false);
  LossScaler other({.growth_interval = 3});
  other.restore(scaler.state());
  CHECK(other.scale() == 32768);
  other.update(false);
  CHECK(other.scale() == 65536);
  LossScaler impatient({.growth_interval = 1});
  impatient.restore(scaler.state());
  impatient.update(false);
  CHECK(impatient.scale() == 65536);
}

TEST_CASE("options and states out of range are refused by name") {
  expect_error<ArgumentError>([] { LossScaler({.initial_scale = 0.5}); }, {"initial_scale is 0.5"});
  expect_error<ArgumentError>([] { LossScaler({.initial_scale = 1e300}); }, {"initial_scale"});
  expect_error<ArgumentError>([] { LossScaler({.growth_factor = 1}); }, {"growth_factor is 1"});
  expect_error<ArgumentError>([] { LossScaler({.backoff_factor = 1}); }, {"backoff_factor is 1"});
  expect_error<ArgumentError>([] { LossScaler({.growth_interval = 0}); }, {"growth_interval is 0"});
  LossScaler scaler;
  expect_error<ArgumentError>([&] { scaler.restore({.scale = 0}); }, {"state is 0"});
  expect_error<ArgumentError>([&] { scaler.restore({.scale = kInfinity}); }, {"state is inf"});
  CHECK(scaler.scale() == 65536);
}

TEST_CASE("gradients are divided by the scale, and infinities and NaNs found wherever they are") {
  std::vector<float> values(21, 48);
  std::vector<BFloat16> halves(5, to_bfloat16(-3));
  const std::array views{TensorView{.data = values.data(), .dtype = DType::f32, .shape = {21}},
                         TensorView{.data = halves.data(), .dtype = DType::bf16, .shape = {5}}};
  CHECK_FALSE(unscale_gradients(views, 16));
  CHECK(values == std::vector<float>(21, 3));
  CHECK(halves == std::vector<BFloat16>(5, to_bfloat16(-3.0F / 16)));
  for (const std::size_t at : {0, 8, 20}) {
    for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
      values[at] = bad;
      CHECK(unscale_gradients(views, 1));
      values[at] = std::numeric_limits<float>::max();
      CHECK_FALSE(unscale_gradients(views, 1));
    }
  }
  halves[4] = to_bfloat16(kInfinity);
  CHECK(unscale_gradients(views, 1));
}

TEST_CASE("gradients of f16, and scales that are none, are refused and change nothing") {
  std::vector<float> values{2};
  std::vector<Half> halves{to_half(2)};
  const TensorView floats{.data = values.data(), .dtype = DType::f32, .shape = {1}};
  const TensorView small{.data = halves.data(), .dtype = DType::f16, .shape = {1}};
  expect_error<ArgumentError>([&] { unscale_gradients(std::array{floats, small}, 2); }, {"f16"});
  for (const double scale : {0.0, -1.0, static_cast<double>(kInfinity)})
    expect_error<ArgumentError>([&] { unscale_gradients(std::array{floats}, scale); }, {"scale"});
  CHECK(values[0] == 2);
}

TEST_CASE("ranks decide together on an overflow, and notice if their scales differ") {
  const Group group = local_group(3, 20s);
  run_ranks(3, [&](int rank) {
    std::vector<float> value(4);
    GradientReducer reducer(
        *group[static_cast<std::size_t>(rank)],
        {{.name = "w", .value = {.data = value.data(), .dtype = DType::f32, .shape = {4}}}});
    const Stream stream = host_device().make_stream();
    const auto gradient = TensorView(reducer.gradient(0)).as<float>();
    LossScaler scaler;
    const auto step = [&](float local) {
      std::fill(gradient.begin(), gradient.end(), local * static_cast<float>(scaler.scale()));
      reducer.mark_ready(0);
      reducer.finish(stream);
      const bool overflow = reducer.unscale(scaler.scale(), stream);
      scaler.update(overflow);
      return overflow;
    };
    expect(!step(2), "no overflow");
    expect_equal(gradient[3], 6.0F, "the sum");
    expect(step(rank == 1 ? kInfinity : 1), "an overflow");
    expect_equal(scaler.scale(), 32768.0, "the scale");
    expect(!step(1), "no overflow");
    expect_equal(gradient[0], 3.0F, "the sum");
    // What only one rank saw, and a rank that has restored another state.
    expect(reducer.agree_on_overflow(rank == 2, 8), "an overflow of one rank");
    expect(!reducer.agree_on_overflow(false, 8), "no overflow");
    std::string text;
    try {
      reducer.agree_on_overflow(false, rank == 1 ? 0.5 : 4096);
    } catch (const CommunicationError& error) {
      text = error.what();
    }
    expect_equal(text, std::string("the ranks scale their losses differently, by 0.5 to 4096"), "the error");
    expect(!step(1), "no overflow after the error");
  });
}

}  // namespace
}  // namespace leat::test
