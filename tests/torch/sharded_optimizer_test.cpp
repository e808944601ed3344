// Optimizers whose state is divided among the ranks.
#include "tests/torch/catch.h"

#include "leat/torch/sharded_optimizer.h"

#include <torch/optim/adam.h>

#include <string>
#include <vector>

#include "leat/torch/grad_scaler.h"
#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::DistributedDataParallel;
using leat::torch::GradScaler;
using leat::torch::ShardedOptimizer;
using Adam = ::torch::optim::Adam;

const ::torch::optim::AdamOptions kOptions(0.05);

void pass(Net& net, DistributedDataParallel& ddp, int rank) {
  ddp.zero_grad();
  net.forward(::at::full({2, 6}, rank + 1.0, ::at::kDouble)).square().sum().backward();
}

TEST_CASE("ranks that each update a share have the parameters that one optimizer over all gives") {
  for (const int ranks : {1, 2, 9}) {  // of which three have no share: the net has six parameters
    on_ranks(ranks, [&](Communicator& communicator, int rank) {
      Net whole(1), divided(1);
      DistributedDataParallel usual(communicator, whole), ddp(communicator, divided);
      Adam optimizer(whole.parameters(), kOptions);
      ShardedOptimizer<Adam> sharded(ddp, kOptions);
      const std::size_t share = sharded.shards().owned().size();
      expect(ranks == 1 ? share == 6 : share < 6, "a share of the parameters");
      expect((sharded.local() == nullptr) == (share == 0), "an optimizer where there is a share");
      if (sharded.local() != nullptr)
        expect_equal(sharded.local()->param_groups()[0].params().size(), share,
                     "parameters of the optimizer");
      for (int step = 0; step < 5; ++step) {
        pass(whole, usual, rank);
        optimizer.step();
        pass(divided, ddp, rank);
        sharded.step();
        expect(all_equal(copies(divided.parameters()), copies(whole.parameters())), "the same parameters");
      }
    });
  }
}

TEST_CASE("a scaler drives an optimizer that is divided, and skips a step on all ranks") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    ShardedOptimizer<Adam> optimizer(ddp, kOptions);
    GradScaler scaler(ddp);
    const std::vector<::at::Tensor> before = copies(net.parameters());
    for (const bool overflows : {true, false}) {
      ddp.zero_grad();
      const double x = overflows && rank == 1 ? 1e308 : 1;
      scaler.scale(net.forward(::at::full({2, 6}, 1.0, ::at::kDouble)).sum() * x).backward();
      expect_equal(scaler.step(optimizer), !overflows, "a step");
      scaler.update();
      expect_equal(all_equal(copies(net.parameters()), before), overflows, "unchanged parameters");
    }
  });
}

TEST_CASE("a parameter that has moved is refused by name") {
  on_ranks(1, [](Communicator& communicator, int) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    ShardedOptimizer<Adam> optimizer(ddp, kOptions);
    pass(net, ddp, 0);
    net.second->bias.set_data(net.second->bias.detach().clone());
    expect_in(error_of<ArgumentError>([&] { optimizer.step(); }), "\"second.bias\"");
  });
}

}  // namespace
}  // namespace leat::test
