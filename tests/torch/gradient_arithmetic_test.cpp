// Clipping and scaling of the gradients of LibTorch's modules.
#include "tests/torch/catch.h"

#include "leat/torch/grad_scaler.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::DistributedDataParallel;
using leat::torch::GradScaler;

::at::Tensor ones() {
  return ::at::full({2, 6}, 1.0, ::at::kDouble);
}

double norm_of(const ::torch::nn::Module& module) {
  double sum = 0;
  for (const ::at::Tensor& each : module.parameters()) {
    if (each.grad().defined()) sum += each.grad().to(::at::kDouble).square().sum().item<double>();
  }
  return std::sqrt(sum);
}

TEST_CASE("gradients of several ranks are clipped by their norm, those of unused parameters left out") {
  std::vector<double> norms(2);
  on_ranks(2, [&](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net, {.find_unused_parameters = true});
    net.forward(ones() * (rank + 1), false).sum().backward();
    const double before = norm_of(net);
    norms[static_cast<std::size_t>(rank)] = ddp.clip_gradient_norm(0.25);
    expect(std::abs(norms[static_cast<std::size_t>(rank)] - before) < 1e-12 * before, "the norm");
    expect(std::abs(norm_of(net) - 0.25) < 1e-5, "the norm that is left");
    expect(!net.branch->weight.grad().defined(), "no gradient of an unused parameter");
    const std::vector<::at::Tensor> clipped = copies({net.first->weight.grad()});
    ddp.clip_gradient_norm(1);
    expect(::at::equal(net.first->weight.grad(), clipped[0]), "nothing to clip");
  });
  CHECK(norms[0] == norms[1]);
}

TEST_CASE("gradients that do not lie in memory without gaps are clipped, too") {
  on_ranks(1, [](Communicator& communicator, int) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    net.forward(ones()).sum().backward();
    net.first->weight.mutable_grad() = ::at::full({1, 1}, 3.0, ::at::kDouble).expand({8, 6});
    const double before = norm_of(net);
    expect(std::abs(ddp.clip_gradient_norm(1) - before) < 1e-12 * before, "the norm");
    expect(std::abs(norm_of(net) - 1) < 1e-5, "the norm that is left");
  });
}

TEST_CASE("a norm that is not finite is an error on request") {
  on_ranks(1, [](Communicator& communicator, int) {
    Line line(0);
    DistributedDataParallel ddp(communicator, line);
    line.loss(1, std::numeric_limits<double>::infinity()).backward();
    expect_in(error_of<NonFiniteGradients>([&] { ddp.clip_gradient_norm(1, true); }), "inf");
    expect(std::isinf(ddp.clip_gradient_norm(1)), "the norm");
    expect_in(error_of<ArgumentError>([&] { ddp.clip_gradient_norm(-1); }), "max_norm");
  });
}

// Counts its steps.
struct Optimizer {
  void step() { ++steps; }
  int steps = 0;
};

TEST_CASE("all ranks skip a step in which one rank's gradients overflow, and lower the scale") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Line line(0);
    DistributedDataParallel ddp(communicator, line);
    GradScaler scaler(ddp, {.growth_interval = 2});
    Optimizer optimizer;
    const auto step = [&](double target) {
      ddp.zero_grad();
      scaler.scale(line.loss(1, target)).backward();
      const bool stepped = scaler.step(optimizer);
      scaler.update();
      return stepped;
    };
    expect(step(rank == 0 ? 1 : 13), "a step");
    expect_equal(line.gradient(), -14, "the mean, not scaled");
    expect(!step(rank == 0 ? 1 : std::numeric_limits<double>::infinity()), "a step that is skipped");
    expect_equal(optimizer.steps, 1, "steps");
    expect_equal(scaler.state().scale, 32768.0, "the scale");
    expect(step(1) && step(1), "two steps");
    expect_equal(scaler.state().scale, 65536.0, "the scale");
    GradScaler other(ddp);
    other.restore(scaler.state());
    expect_equal(other.state().scale, 65536.0, "the scale of the state");
  });
}

TEST_CASE("gradients are unscaled once, before they are clipped") {
  on_ranks(2, [](Communicator& communicator, int) {
    Line line(0);
    DistributedDataParallel ddp(communicator, line);
    GradScaler scaler(ddp);
    Optimizer optimizer, second;
    expect_in(error_of<ArgumentError>([&] { scaler.update(); }), "before");
    scaler.scale(line.loss(1, 1)).backward();
    expect(scaler.unscale(), "finite gradients");
    expect_in(error_of<ArgumentError>([&] { scaler.unscale(); }), "second time");
    expect_equal(ddp.clip_gradient_norm(1), 2.0, "the norm");
    const double clipped = line.gradient();
    expect(scaler.step(optimizer) && scaler.step(second), "steps");
    expect_equal(line.gradient(), clipped, "the gradient");
    expect_in(error_of<ArgumentError>([&] { scaler.scale(line.loss(1, 1)); }), "update()");
    scaler.update();
    expect_equal(scaler.scale(line.loss(1, 1)).item<double>(), 65536.0, "the scaled loss");
    expect(scaler.scale(line.loss(1, 1).to(::at::kHalf)).scalar_type() == ::at::kFloat, "a loss of f32");
  });
}

TEST_CASE("an overflow without scaling is an error, and training can go on") {
  on_ranks(2, [](Communicator& communicator, int) {
    Line line(0);
    DistributedDataParallel ddp(communicator, line);
    GradScaler scaler(ddp, {.initial_scale = 1});
    Optimizer optimizer;
    scaler.scale(line.loss(1, std::numeric_limits<double>::quiet_NaN())).backward();
    expect(!scaler.step(optimizer), "a step that is skipped");
    expect_in(error_of<NonFiniteGradients>([&] { scaler.update(); }), "not scaled");
    ddp.zero_grad();
    scaler.scale(line.loss(1, 1)).backward();
    expect(scaler.step(optimizer), "a step");
    scaler.update();
  });
}

}  // namespace
}  // namespace leat::test
