// Backward passes that end with an exception on some of the ranks.
#include "tests/torch/catch.h"

#include "leat/torch/distributed_data_parallel.h"

#include <stdexcept>
#include <string>

#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::Averaging;
using leat::torch::DistributedDataParallel;
using leat::torch::StepAbandoned;

::at::Tensor ones() {
  return ::at::full({2, 6}, 1.0, ::at::kDouble);
}

// Runs a backward pass that fails when it has the gradients of the last layers.
void fail_in(Net& net) {
  const ::at::Tensor hidden = net.first->forward(ones()).tanh();
  hidden.register_hook([](const ::at::Tensor&) { throw std::logic_error("planted"); });
  expect_in(error_of<std::logic_error>(
                [&] { (net.second->forward(hidden) + net.branch->forward(hidden)).sum().backward(); }),
            "planted");
}

TEST_CASE("a rank that fails within a step lets the others go, and all go on with the next one") {
  on_ranks(3, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    const ::at::Tensor rows = ::at::full({2, 6}, 1.0, ::at::kDouble);
    const auto pass = [&](bool fails) {
      const ::at::Tensor hidden = net.first->forward(rows).tanh();
      if (fails) hidden.register_hook([](const ::at::Tensor&) { throw std::logic_error("planted"); });
      (net.second->forward(hidden) + net.branch->forward(hidden)).sum().backward();
    };
    pass(false);
    const std::vector<::at::Tensor> right = gradients(net);
    for (int time = 0; time < 3; ++time) {
      ddp.zero_grad();
      if (rank == 2) {
        expect_in(error_of<std::logic_error>([&] { pass(true); }), "planted");
        expect_in(error_of<StepAbandoned>([&] { ddp.abandon_step(); }), "rank 2");
      } else {
        expect_in(error_of<StepAbandoned>([&] { pass(false); }), "rank 2 gave up");
        for (const ::at::Tensor& each : gradients(net)) expect(!each.any().item<bool>(), "zeros");
      }
      ddp.zero_grad();
      pass(false);
      expect(all_equal(gradients(net), right), "the same gradients as before");
    }
  });
}

TEST_CASE("a backward pass behind one that failed says what to do") {
  on_ranks(1, [](Communicator& communicator, int) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    const ::at::Tensor rows = ::at::full({2, 6}, 1.0, ::at::kDouble);
    const ::at::Tensor hidden = net.first->forward(rows).tanh();
    const ::at::Tensor out = net.second->forward(hidden) + net.branch->forward(hidden);
    out.sum().backward(::at::Tensor(), true);
    hidden.register_hook([](const ::at::Tensor&) { throw std::logic_error("planted"); });
    error_of<std::logic_error>([&] { out.sum().backward(); });
    expect_in(error_of<ArgumentError>([&] { net.forward(rows).sum().backward(); }), "abandon_step()");
    error_of<StepAbandoned>([&] { ddp.abandon_step(); });
    net.forward(rows).sum().backward();
  });
}

TEST_CASE("a pass over other parameters than those of a failed one is refused until the step is abandoned") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net,
                                {.averaging = Averaging::rows, .find_unused_parameters = true});
    for (int time = 0; time < 3; ++time) {
      ddp.zero_grad();
      ddp.set_rows(2);
      if (rank == 0) {
        expect_in(error_of<StepAbandoned>([&] { net.forward(ones()).sum().backward(); }), "rank 1");
        continue;
      }
      fail_in(net);
      const auto is_refused = [&](auto&& run) { expect_in(error_of<ArgumentError>(run), "abandon_step()"); };
      is_refused([&] { net.first->forward(ones()).sum().backward(); });
      is_refused([&] { net.first->forward(ones()).sum().backward(); });
      is_refused([&] { ddp.set_rows(2); });
      is_refused([&] { ddp.skip_backward(); });
      is_refused([&] { ddp.sync_buffers(); });
      expect_in(error_of<StepAbandoned>([&] { ddp.abandon_step(); }), "rank 1");
    }
    ddp.zero_grad();
    ddp.set_rows(2);
    net.first->forward(ones()).sum().backward();
    expect(net.first->weight.grad().any().item<bool>(), "a gradient");
  });
}

TEST_CASE("a pass that failed before the first gradient can be repeated") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    if (rank == 1) {
      const ::at::Tensor loss = net.forward(ones()).sum();
      loss.register_hook([](const ::at::Tensor&) { throw std::logic_error("planted"); });
      error_of<std::logic_error>([&] { loss.backward(); });
    }
    net.forward(ones()).sum().backward();
    expect(net.first->weight.grad().any().item<bool>(), "a gradient");
  });
}

TEST_CASE("a failed pass under no_sync needs no other rank") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    if (rank == 1) {
      const auto local = ddp.no_sync();
      fail_in(net);
    }
    ddp.zero_grad();
    net.forward(ones()).sum().backward();
    expect(net.first->weight.grad().any().item<bool>(), "a gradient");
  });
}

}  // namespace
}  // namespace leat::test
