// LibTorch's modules, trained by several ranks.
#include "tests/torch/catch.h"

#include "leat/torch/distributed_data_parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/embedding.h>

#include "tests/parallel/support/rank_processes.h"
#include "tests/torch/replicas.h"

namespace leat::test {
namespace {

using leat::torch::Averaging;
using leat::torch::BufferSync;
using leat::torch::DistributedDataParallel;
using leat::torch::DistributedOptions;
using leat::torch::StepAbandoned;

TEST_CASE("gradients of two ranks are averaged, and add up under no_sync") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Line line(rank);  // 0 and 1: all begin with rank 0's
    DistributedDataParallel ddp(communicator, line);
    expect_equal(line.weight.item<double>(), 0, "the weight of rank 0");
    const double target = rank == 0 ? 1 : 13;
    {
      const auto local = ddp.no_sync();
      line.loss(1, target).backward();
      expect_equal(line.gradient(), rank == 0 ? -2 : -26, "the gradient of this rank");
    }
    ddp.zero_grad();
    line.loss(1, target).backward();
    expect_equal(line.gradient(), -14, "the mean");
    ddp.zero_grad();
    {
      const auto local = ddp.no_sync();
      line.loss(1, target).backward();
    }
    line.loss(1, target).backward();
    expect_equal(line.gradient(), -28, "the mean of sums");
  });
}

// Trains on rows that the ranks divide unevenly; returns the parameters.
std::vector<::at::Tensor> trained(int ranks, bool sets_to_zero) {
  std::vector<std::vector<::at::Tensor>> results(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](Communicator& communicator, int rank) {
    Net net(static_cast<std::uint64_t>(rank) + 1);
    DistributedDataParallel ddp(communicator, net,
                                {.averaging = Averaging::rows, .reducer = {.first_bucket_mb = 1e-4}});
    expect(ddp.bucket_count() > 1, "several buckets");
    auto generator = ::at::make_generator<::at::CPUGeneratorImpl>(7);
    for (std::int64_t step = 0; step < 50; ++step) {
      const std::int64_t rows = step % 10 == 9 ? 3 : 11;
      const ::at::Tensor x = ::at::randn({rows, 6}, generator, ::at::kDouble);
      const ::at::Tensor y = ::at::randn({rows, 3}, generator, ::at::kDouble);
      const std::int64_t share = (rows + ranks - 1) / ranks;
      const std::int64_t first = std::min(rows, share * rank), last = std::min(rows, share * (rank + 1));
      if (sets_to_zero) {
        for (const ::at::Tensor& each : net.parameters()) {
          if (each.grad().defined()) each.grad().zero_();
        }
      } else {
        ddp.zero_grad();
      }
      expect_equal(ddp.set_rows(static_cast<std::size_t>(last - first)), static_cast<std::size_t>(rows),
                   "rows");
      if (first < last) {
        (net.forward(x.slice(0, first, last)) - y.slice(0, first, last)).square().mean().backward();
      } else {
        ddp.skip_backward();
      }
      net.step(0.1);
    }
    results[static_cast<std::size_t>(rank)] = copies(net.parameters());
  });
  for (const auto& each : results) {
    for (std::size_t i = 0; i < each.size(); ++i) CHECK(::at::equal(each[i], results[0][i]));
  }
  return results[0];
}

TEST_CASE("several ranks train as one does, with uneven rows and with ranks that have none") {
  const auto alone = trained(1, false);
  for (const int ranks : {2, 4}) {
    for (const bool sets_to_zero : {false, true}) {
      INFO(ranks << " ranks, gradients set to zero: " << sets_to_zero);
      const auto together = trained(ranks, sets_to_zero);
      for (std::size_t i = 0; i < alone.size(); ++i)
        CHECK(::at::allclose(together[i], alone[i], 1e-12, 1e-12));
    }
  }
}

TEST_CASE(
    "a parameter that takes no part in the backward pass is an error that names it, on all ranks an end") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net);
    const auto pass = [&](bool with_branch) {
      net.forward(::at::full({2, 6}, 1.0, ::at::kDouble), with_branch).sum().backward();
    };
    if (rank == 1) {
      const std::string error = error_of<ArgumentError>([&] { pass(false); });
      expect_in(error, "\"branch.weight\", \"branch.bias\"");
      expect_in(error, "find_unused_parameters");
    } else {
      expect_in(error_of<StepAbandoned>([&] { pass(true); }), "rank 1");
      for (const ::at::Tensor& each : gradients(net)) expect(!each.any().item<bool>(), "zeros");
    }
    ddp.zero_grad();
    pass(true);  // and on it goes
    expect(net.branch->weight.grad().any().item<bool>(), "a gradient");
  });
}

TEST_CASE("gradients of unused parameters are undefined if no rank used them") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net,
                                {.averaging = Averaging::none, .find_unused_parameters = true});
    const auto pass = [&](bool with_branch) {
      ddp.zero_grad();
      net.forward(::at::full({2, 6}, 1.0, ::at::kDouble), with_branch).sum().backward();
    };
    pass(true);
    const ::at::Tensor twice = net.branch->weight.grad().clone();
    pass(rank == 1);
    expect(::at::allclose(net.branch->weight.grad() * 2, twice), "the gradient of one rank");
    pass(false);
    expect(!net.branch->weight.grad().defined(), "no gradient");
    expect(net.first->weight.grad().defined(), "a gradient");
  });
}

TEST_CASE("gradients of an earlier pass stay if a later one does not use them") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Net net(1);
    DistributedDataParallel ddp(communicator, net, {.find_unused_parameters = true});
    const ::at::Tensor rows = ::at::full({2, 6}, 1.0, ::at::kDouble);
    net.forward(rows).sum().backward();
    const ::at::Tensor before = net.branch->weight.grad().clone();
    net.forward(rows, false).sum().backward();
    expect(::at::allclose(net.branch->weight.grad(), before), "what the first pass gave");
    net.forward(rows, rank == 0).sum().backward();
    expect(::at::allclose(net.branch->weight.grad(), before * 1.5), "and half of what one rank added");
    {
      const auto local = ddp.no_sync();
      net.forward(rows).sum().backward();
    }
    ddp.zero_grad();
    net.forward(rows, false).sum().backward();
    expect(!net.branch->weight.grad().defined(), "no gradient after zero_grad()");
  });
}

TEST_CASE("buffers are copied to where a checkpoint that was loaded put them") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    ::torch::nn::BatchNorm1d norm(4);
    DistributedDataParallel ddp(communicator, *norm);
    norm->running_mean.set_data(::at::full({4}, rank + 3.0));
    ddp.sync_buffers();
    expect(norm->running_mean[0].item<double>() == 3, "the mean of rank 0");
  });
}

// A normalized line with tied weights, and a parameter that is not trained.
struct Tied : ::torch::nn::Module {
  explicit Tied(double start)
      : norm(register_module("norm", ::torch::nn::BatchNorm1d(4))),
        one(register_module("one", ::torch::nn::Linear(4, 4))),
        again(register_parameter("again", one->weight)),
        frozen(register_parameter("frozen", ::at::full({4}, start), false)) {
    norm->running_mean.fill_(start);
  }
  ::at::Tensor forward(const ::at::Tensor& rows) {
    return one->forward(norm->forward(rows)).matmul(again) + frozen;
  }
  ::torch::nn::BatchNorm1d norm;
  ::torch::nn::Linear one;
  ::at::Tensor again, frozen;
};

TEST_CASE("buffers and frozen parameters are those of rank 0, and tied parameters are one") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    for (const BufferSync when : {BufferSync::every_pass, BufferSync::on_request}) {
      Tied model(rank + 5);
      DistributedDataParallel ddp(communicator, model, {.buffers = when});
      expect(model.frozen[0].item<double>() == 5, "the frozen parameter of rank 0");
      expect(model.norm->running_mean[0].item<double>() == 5, "the mean of rank 0");
      model.forward(::at::full({3, 4}, rank + 1.0)).square().sum().backward();
      const double own = 5 * 0.9 + 0.1 * (rank + 1), first = 5 * 0.9 + 0.1;
      const double wanted = when == BufferSync::every_pass ? first : own;
      expect(std::abs(model.norm->running_mean[0].item<double>() - wanted) < 1e-5, "the mean after a pass");
      ddp.sync_buffers();
      expect(std::abs(model.norm->running_mean[0].item<double>() - first) < 1e-5, "the mean on request");
      expect(model.norm->num_batches_tracked.item<std::int64_t>() == 1, "the count of batches");
    }
  });
}

// Registers its layers in the opposite order of their use.
struct Backwards : ::torch::nn::Module {
  Backwards() {
    ::torch::NoGradGuard no_grad;
    for (int i = 0; i < 6; ++i) {
      layers.push_back(register_module("layer" + std::to_string(i), ::torch::nn::Linear(4, 4)));
      for (::at::Tensor& each : layers.back()->parameters()) each.fill_(0.1 * (i + 1));
    }
  }
  ::at::Tensor forward(::at::Tensor rows) {
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) rows = (*layer)->forward(rows).tanh();
    return rows;
  }
  std::vector<::torch::nn::Linear> layers;
};

TEST_CASE(
    "after the first pass, reductions begin with the first gradient, whatever the order of the layers") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    std::vector<::at::Tensor> usual;
    for (const bool reorders : {false, true}) {
      Backwards model;
      std::size_t gradients_seen = 0, seen_at_first = 0;
      DistributedOptions options{.reorder_buckets = reorders,
                                 .reducer = {.bucket_cap_mb = 1e-4, .first_bucket_mb = 1e-4}};
      options.reducer.reduce_bucket = [&](const GradientBucket& bucket, Communicator& all, StreamRef stream) {
        if (bucket.index == 0) seen_at_first = gradients_seen;
        all.all_reduce(bucket.data, ReduceOp::sum, stream);
      };
      DistributedDataParallel ddp(communicator, model, options);
      expect_equal(ddp.bucket_count(), std::size_t{12}, "buckets");
      for (const ::at::Tensor& each : model.parameters())
        each.register_hook([&](const ::at::Tensor&) { ++gradients_seen; });
      for (int pass = 0; pass < 3; ++pass) {
        if (pass < 2) ddp.zero_grad();  // the last one adds to the one before
        gradients_seen = 0;
        model.forward(::at::full({2, 4}, rank + 1.0)).sum().backward();
        if (pass == 0 || !reorders) {
          expect(seen_at_first > 10, "the first bucket is reduced late");
        } else {
          expect(seen_at_first <= 2, "the first bucket is reduced early");
        }
        expect_equal(gradients_seen, std::size_t{12}, "gradients");
      }
      if (usual.empty()) usual = gradients(model);
      expect(all_equal(gradients(model), usual), "the same gradients in any order");
    }
  });
}

TEST_CASE("gradients stay when the object is destroyed, and are no longer reduced") {
  on_ranks(2, [](Communicator& communicator, int rank) {
    Line line(0);
    const double target = rank == 0 ? 1 : 13;
    {
      DistributedDataParallel ddp(communicator, line);
      line.loss(1, target).backward();
      DistributedDataParallel moved = std::move(ddp);
      Line other(0);
      DistributedDataParallel assigned(communicator, other);
      assigned = std::move(moved);
      other.loss(1, target).backward();
      expect_equal(other.gradient(), rank == 0 ? -2 : -26, "the gradient of what is no longer wrapped");
      line.weight.mutable_grad().reset();
      line.loss(1, target).backward();
      expect_equal(line.gradient(), -14, "the gradient");
    }
    expect_equal(line.gradient(), -14, "the gradient that is left");
    line.weight.mutable_grad().reset();
    line.loss(1, target).backward();
    expect_equal(line.gradient(), rank == 0 ? -2 : -26, "a gradient of this rank");
  });
}

TEST_CASE("a module that cannot be wrapped is refused, and names what is wrong") {
  on_ranks(1, [](Communicator& communicator, int) {
    const auto wrap = [&](::torch::nn::Module& module) { DistributedDataParallel(communicator, module); };
    ::torch::nn::Module empty;
    expect_in(error_of<ArgumentError>([&] { wrap(empty); }), "no parameters");
    struct Complex : ::torch::nn::Module {
      Complex() { register_parameter("phase", ::at::full({2}, 1.0, ::at::kComplexFloat)); }
    } complex;
    expect_in(error_of<ArgumentError>([&] { wrap(complex); }), "\"phase\"");
    struct Gaps : ::torch::nn::Module {
      Gaps() { register_parameter("gaps", ::at::full({2, 4}, 1.0).slice(1, 0, 2)); }
    } gaps;
    expect_in(error_of<ArgumentError>([&] { wrap(gaps); }), "\"gaps\"");
    Line line(0);
    DistributedDataParallel ddp(communicator, line);
    expect_in(error_of<ArgumentError>([&] { ddp.set_rows(1); }), "Averaging::rows");
    ::torch::nn::Embedding table(::torch::nn::EmbeddingOptions(4, 2).sparse(true));
    DistributedDataParallel sparse(communicator, *table);
    expect_in(
        error_of<ArgumentError>([&] { table->forward(::at::full({1}, 1, ::at::kLong)).sum().backward(); }),
        "sparse");
  });
}

TEST_CASE("a module is wrapped for a world of one rank, and of several threads' ranks") {
  ::at::set_num_threads(1);
  const World alone{WorldSettings()};
  Line line(0);
  DistributedDataParallel ddp(alone, line);
  line.loss(1, 1).backward();
  CHECK(line.gradient() == -2);
  const std::uint16_t port = free_port();
  run_ranks(2, [&](int rank) {
    const World world(WorldSettings{.rank = rank, .world_size = 2, .local_rank = rank, .master_port = port});
    Line own(rank);
    DistributedDataParallel wrapped(world, own);
    own.loss(1, rank == 0 ? 1 : 13).backward();
    expect_equal(own.gradient(), -14, "the mean");
  });
}

TEST_CASE("ranks with different modules are told, before the first step") {
  ::at::set_num_threads(1);
  auto group = make_local_group(2, host_device(), std::chrono::seconds(20));
  const auto errors = errors_of_ranks(2, [&](int rank) {
    ::torch::nn::Linear layer(3, rank == 0 ? 2 : 4);
    DistributedDataParallel(*group[static_cast<std::size_t>(rank)], *layer);
  });
  for (const std::string& error : errors) CHECK(error.find("weight") != std::string::npos);
}

}  // namespace
}  // namespace leat::test
