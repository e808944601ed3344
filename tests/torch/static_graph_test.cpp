// Passes whose graph is the same each time, and re-entrant ones.
#include "tests/torch/catch.h"

#include "leat/torch/distributed_data_parallel.h"

#include <ATen/ops/allclose.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::DistributedDataParallel;
using leat::torch::DistributedOptions;
using leat::torch::StepAbandoned;

// A layer whose activations are computed a second time in the backward pass.
struct Checkpoint : ::torch::autograd::Function<Checkpoint> {
  using Tensors = ::torch::autograd::variable_list;
  static ::at::Tensor forward(::torch::autograd::AutogradContext* context, const ::at::Tensor& input,
                              ::torch::nn::LinearImpl* layer) {
    context->save_for_backward({input});
    context->saved_data["layer"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(layer));
    return layer->forward(input).tanh();
  }
  static Tensors backward(::torch::autograd::AutogradContext* context, Tensors gradients) {
    auto* const layer = reinterpret_cast<::torch::nn::LinearImpl*>(
        static_cast<std::intptr_t>(context->saved_data["layer"].toInt()));
    const ::at::Tensor input = context->get_saved_variables()[0].detach().requires_grad_();
    ::at::AutoGradMode enable(true);
    ::torch::autograd::backward({layer->forward(input).tanh()}, {gradients[0]});
    return {input.grad(), ::at::Tensor()};
  }
};

struct Deep : ::torch::nn::Module {
  Deep() {
    ::torch::NoGradGuard no_grad;
    for (int i = 0; i < 3; ++i) {
      layers.push_back(register_module("layer" + std::to_string(i), ::torch::nn::Linear(4, 4)));
      for (::at::Tensor& each : layers.back()->parameters()) each.fill_(0.1 * (i + 1));
    }
  }
  // The middle layer is used twice, and layer 2 only if it is asked for.
  ::at::Tensor forward(const ::at::Tensor& rows, bool checkpoints, bool last) {
    ::at::Tensor hidden = layers[0]->forward(rows).tanh();
    for (int time = 0; time < 2; ++time)
      hidden = checkpoints ? Checkpoint::apply(hidden, layers[1].get()) : layers[1]->forward(hidden).tanh();
    return last ? layers[2]->forward(hidden) : hidden;
  }
  std::vector<::torch::nn::Linear> layers;
};

::at::Tensor rows_of(int rank) {
  return ::at::full({2, 4}, rank + 1.0);
}

TEST_CASE("a layer that is checkpointed twice gets the gradients that it would get without") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Deep plain, deep;
    DistributedDataParallel usual(communicator, plain);
    DistributedDataParallel ddp(
        communicator, deep,
        {.static_graph = true, .reducer = {.bucket_cap_mb = 1e-4, .first_bucket_mb = 1e-4}});
    for (int pass = 0; pass < 4; ++pass) {
      if (pass != 2) {  // which adds to the pass before
        usual.zero_grad();
        ddp.zero_grad();
      }
      plain.forward(rows_of(rank), false, true).sum().backward();
      ddp.backward(deep.forward(rows_of(rank), true, true).sum());
      const std::vector<::at::Tensor> wanted = gradients(plain), actual = gradients(deep);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        expect(::at::allclose(actual[i], wanted[i], 1e-5, 1e-6), "gradient " + std::to_string(i));
    }
  });
}

TEST_CASE("a re-entrant pass is refused without the options that it needs") {
  on_ranks(1, [](Communicator& communicator, int) {
    Deep deep;
    DistributedDataParallel ddp(communicator, deep);
    expect_in(error_of<ArgumentError>([&] { ddp.backward(deep.forward(rows_of(0), true, true).sum()); }),
              "static_graph");
    expect_in(error_of<ArgumentError>([&] { ddp.backward(deep.forward(rows_of(0), false, true).sum()); }),
              "abandon_step()");
    error_of<StepAbandoned>([&] { ddp.abandon_step(); });
    expect_in(error_of<ArgumentError>([&] { deep.forward(rows_of(0), true, true).sum().backward(); }),
              "DistributedDataParallel::backward()");
    error_of<StepAbandoned>([&] { ddp.abandon_step(); });
    ddp.backward(deep.forward(rows_of(0), false, true).sum());
  });
}

TEST_CASE("a static graph's unused parameters hold up no bucket, and have no gradients") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Deep deep;
    std::size_t gradients_seen = 0, seen_at_first = 0;
    DistributedOptions options{.static_graph = true,
                               .reorder_buckets = false,
                               .reducer = {.bucket_cap_mb = 1e-4, .first_bucket_mb = 1e-4}};
    options.reducer.reduce_bucket = [&](const GradientBucket& bucket, Communicator& all, StreamRef stream) {
      if (bucket.index == 0) seen_at_first = gradients_seen;
      all.all_reduce(bucket.data, ReduceOp::sum, stream);
    };
    DistributedDataParallel ddp(communicator, deep, options);
    for (const ::at::Tensor& each : deep.parameters())
      each.register_hook([&](const ::at::Tensor&) { ++gradients_seen; });
    expect_in(error_of<ArgumentError>([&] { ddp.skip_backward(); }), "first backward pass");
    for (int pass = 0; pass < 3; ++pass) {
      ddp.zero_grad();
      gradients_seen = 0;
      deep.forward(rows_of(rank), false, false).sum().backward();
      // The first bucket is that of layer 2, which is not used.
      expect(pass == 0 ? seen_at_first == 4 : seen_at_first <= 1, "the first bucket");
      expect(!deep.layers[2]->weight.grad().defined(), "no gradient");
      expect(deep.layers[0]->weight.grad().any().item<bool>(), "a gradient");
    }
  });
}

TEST_CASE("what only one rank uses in a static graph reaches the others in every pass") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Deep deep;
    DistributedDataParallel ddp(communicator, deep, {.static_graph = true});
    std::vector<::at::Tensor> first;
    for (int pass = 0; pass < 3; ++pass) {
      ddp.zero_grad();
      deep.forward(rows_of(rank), false, rank == 1).sum().backward();
      if (first.empty()) first = gradients(deep);
      expect(deep.layers[2]->weight.grad().any().item<bool>(), "the gradient of rank 1");
      expect(all_equal(gradients(deep), first), "the same gradients in every pass");
    }
    ddp.zero_grad();
    if (rank == 1) {
      ddp.skip_backward();
    } else {
      deep.forward(rows_of(rank), false, false).sum().backward();
    }
    expect(!deep.layers[2]->weight.grad().any().item<bool>(), "a gradient of zeros");
  });
}

TEST_CASE("a pass that is not that of the static graph is refused by name, and the others learn of it") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Deep deep;
    DistributedDataParallel ddp(communicator, deep, {.static_graph = true});
    const auto pass = [&](bool last) { deep.forward(rows_of(rank), false, last).sum().backward(); };
    pass(true);
    ddp.zero_grad();
    if (rank == 1) {
      const std::string error = error_of<ArgumentError>([&] { pass(false); });
      expect_in(error, "fewer gradients than in the first pass");
      expect_in(error, "\"layer2.weight\"");
    } else {
      expect_in(error_of<StepAbandoned>([&] { pass(true); }), "rank 1");
    }
    ddp.zero_grad();
    pass(true);
    expect(deep.layers[2]->weight.grad().any().item<bool>(), "a gradient");
  });
  on_ranks(1, [](Communicator& communicator, int) {
    Deep deep;
    DistributedDataParallel ddp(communicator, deep, {.static_graph = true});
    deep.forward(rows_of(0), false, false).sum().backward();
    expect_in(error_of<ArgumentError>([&] { deep.forward(rows_of(0), false, true).sum().backward(); }),
              "more gradients in one backward pass");
  });
}

}  // namespace
}  // namespace leat::test
