// Clipping and scaling of the gradients of LibTorch's modules.
#include "tests/torch/catch.h"

#include "leat/torch/distributed_data_parallel.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::DistributedDataParallel;

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

}  // namespace
}  // namespace leat::test
