// LibTorch's modules, each computed by several replicas in one process.
#include "tests/torch/catch.h"

#include "leat/torch/data_parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <sys/wait.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/torch/devices.h"

namespace leat::test {
namespace {

using leat::torch::data_parallel;
using leat::torch::DataParallel;
using leat::torch::ReplicaError;
using leat::torch::replicate;

// Has a frozen parameter, one with two names, a branch that is rarely used, and a layer without bias.
struct Net : ::torch::nn::Cloneable<Net> {
  Net() { reset(); }
  void reset() override {
    first = register_module("first", ::torch::nn::Linear(::torch::nn::LinearOptions(6, 4).bias(false)));
    second = register_module("second", ::torch::nn::Linear(4, 4));
    branch = register_module("branch", ::torch::nn::Linear(4, 4));
    again = register_parameter("again", second->weight);
    frozen = register_parameter("frozen", ::at::full({4}, 0.5), false);
    to(::at::kDouble);
  }
  ::at::Tensor forward(const ::at::Tensor& rows, bool with_branch) {
    if (rows.size(0) > 0 && rows[0][0].item<double>() == kPoison) throw std::invalid_argument("poison");
    const ::at::Tensor hidden = first->forward(rows).tanh();
    const ::at::Tensor out = second->forward(hidden).matmul(again).tanh() * frozen;
    return with_branch ? out + branch->forward(hidden) : out;
  }
  static constexpr double kPoison = 1e9;
  ::torch::nn::Linear first = nullptr, second = nullptr, branch = nullptr;
  ::at::Tensor again, frozen;
};

::at::Tensor random(::at::IntArrayRef shape, std::uint64_t seed) {
  return ::at::randn(shape, ::at::make_generator<::at::CPUGeneratorImpl>(seed), ::at::kDouble);
}

std::shared_ptr<Net> make_net(::at::Device device) {
  auto net = std::make_shared<Net>();
  {
    const ::at::NoGradGuard no_grad;
    std::uint64_t seed = 1;
    for (::at::Tensor& each : net->parameters()) each.copy_(random(each.sizes(), ++seed) * 0.3);
  }
  net->to(device);
  return net;
}

::at::Tensor loss_of(const ::at::Tensor& output) {
  return output.square().mean();
}

void step(Net& net) {
  const ::at::NoGradGuard no_grad;
  for (const auto& each : net.named_parameters()) {
    if (each.key() != "again" && each.value().grad().defined()) each.value().sub_(each.value().grad(), 0.3);
  }
}

void check_same(Net& actual, Net& wanted) {
  const auto names = wanted.named_parameters();
  for (const auto& each : actual.named_parameters()) {
    INFO(each.key());
    const ::at::Tensor& other = names[each.key()];
    CHECK(::at::allclose(each.value().cpu(), other.cpu(), 0, 1e-12));
    REQUIRE(each.value().grad().defined() == other.grad().defined());
    if (other.grad().defined())
      CHECK(::at::allclose(each.value().grad().cpu(), other.grad().cpu(), 0, 1e-12));
  }
}

// The same passes by DataParallel and by the module alone: batches of any number of rows, gradients of several passes
// that add up, a graph of two forward passes, and steps in between.
void check_training(const std::vector<::at::Device>& devices) {
  const auto alone = make_net(devices[0]), net = make_net(devices[0]);
  DataParallel parallel(net, devices);
  std::uint64_t seed = 100;
  const auto pass = [&](std::int64_t rows, bool with_branch) {
    const ::at::Tensor batch = random({rows, 6}, ++seed).to(devices[0]);
    const ::at::Tensor wanted = alone->forward(batch, with_branch);
    const ::at::Tensor actual = parallel.forward(batch, with_branch);
    CHECK(::at::allclose(actual, wanted, 0, 1e-12));
    return std::pair(loss_of(actual), loss_of(wanted));
  };
  const auto backward = [](const auto& losses) {
    losses.first.backward();
    losses.second.backward();
  };
  for (const std::int64_t rows : {9, 8, 1, 2, 5}) {
    INFO(rows << " rows");
    backward(pass(rows, false));
    check_same(*net, *alone);
    const auto one = pass(rows, true), other = pass(rows + 1, false);
    backward(std::pair(one.first + other.first, one.second + other.second));
    check_same(*net, *alone);
    step(*net);
    step(*alone);
  }
  CHECK_FALSE(net->frozen.grad().defined());
  net->zero_grad();
  alone->zero_grad();
  net->first->weight.set_requires_grad(false);  // frozen later
  alone->first->weight.set_requires_grad(false);
  net->frozen.set_requires_grad(true);
  alone->frozen.set_requires_grad(true);
  backward(pass(7, true));
  check_same(*net, *alone);
  CHECK(net->frozen.grad().defined());
}

TEST_CASE("DataParallel trains a module as it is trained alone") {
  for (const std::size_t replicas : {1, 2, 4}) {
    INFO(replicas << " replicas");
    check_training(cpus(replicas));
  }
}

TEST_CASE("DataParallel trains a module as it is trained alone, on GPUs", "[gpu]") {
  for (const std::size_t replicas : {1, 2, 4}) {
    if (const auto devices = gpus(replicas); !devices.empty()) check_training(devices);
  }
}

TEST_CASE("parameters that no replica used have no gradient") {
  const auto net = make_net(::at::kCPU);
  DataParallel parallel(net, cpus(2));
  loss_of(parallel.forward(random({4, 6}, 1), false)).backward();
  CHECK_FALSE(net->branch->weight.grad().defined());
  CHECK(net->second->weight.grad().defined());
}

TEST_CASE("data_parallel and replicate compute what the module computes, and give it its gradients") {
  const auto alone = make_net(::at::kCPU), net = make_net(::at::kCPU);
  ::at::Tensor batch = random({5, 6}, 1).requires_grad_(), same = batch.detach().clone().requires_grad_();
  for (const auto& devices : {cpus(0), cpus(1), cpus(3)}) {
    const ::at::Tensor wanted = alone->forward(batch, true);
    const ::at::Tensor actual = data_parallel(net, std::tuple(same, true), devices);
    CHECK(::at::allclose(actual, wanted, 0, 1e-12));
    loss_of(wanted).backward();
    loss_of(actual).backward();
    check_same(*net, *alone);
    CHECK(::at::allclose(batch.grad(), same.grad(), 0, 1e-12));
  }
  const auto replicas = replicate(net, cpus(3));
  REQUIRE(replicas.size() == 3);
  CHECK(replicas[0] == net);
  CHECK(replicas[2]->first->weight.data_ptr() != net->first->weight.data_ptr());
  loss_of(replicas[2]->forward(batch, true)).backward();
  loss_of(alone->forward(batch, true)).backward();
  check_same(*net, *alone);
}

TEST_CASE("holders are taken, such as Sequential, and nothing is copied for one device") {
  ::torch::nn::Sequential net(::torch::nn::Linear(3, 4), ::torch::nn::Tanh(), ::torch::nn::Linear(4, 2));
  const ::at::Tensor batch = ::at::rand({5, 3});
  DataParallel parallel(net, cpus(2));
  CHECK(::at::allclose(parallel.forward(batch), net->forward(batch)));
  CHECK(::at::allclose(data_parallel(net, batch, cpus(2), ::at::Device(::at::kCPU)), net->forward(batch)));
  struct Echo : ::torch::nn::Module {
    ::at::Tensor forward(const ::at::Tensor& input) { return input; }
  };
  CHECK(DataParallel(std::make_shared<Echo>(), cpus(1)).forward(batch).is_same(batch));
  CHECK(DataParallel(std::make_shared<Echo>(), {}).forward(batch).is_same(batch));
}

// A normalization, some of whose siblings may be in evaluation mode.
struct Normalized : ::torch::nn::Cloneable<Normalized> {
  Normalized() { reset(); }
  void reset() override {
    norm = register_module("norm", ::torch::nn::BatchNorm1d(2));
    drop = register_module("drop", ::torch::nn::Dropout(0.5));
  }
  ::at::Tensor forward(const ::at::Tensor& rows) { return drop->forward(norm->forward(rows)); }
  ::torch::nn::BatchNorm1d norm = nullptr;
  ::torch::nn::Dropout drop = nullptr;
};

TEST_CASE("the running statistics of the first replica are those that are kept") {
  const auto net = std::make_shared<Normalized>();
  DataParallel parallel(net, cpus(3));
  const ::at::Tensor batch = ::at::arange(12, ::at::kFloat).view({6, 2});
  ::torch::nn::BatchNorm1d first(2);
  for (int pass = 0; pass < 2; ++pass) {
    parallel.forward(batch).sum().backward();
    first->forward(batch.slice(0, 0, 2));
    CHECK(::at::equal(net->norm->running_mean, first->running_mean));
    CHECK(::at::equal(net->norm->running_var, first->running_var));
    CHECK(net->norm->num_batches_tracked.item<std::int64_t>() == pass + 1);
  }
  net->eval();
  const ::at::Tensor wanted = net->forward(batch);
  CHECK(::at::equal(parallel.forward(batch), wanted));  // all replicas have the statistics of the first
}

TEST_CASE("replicas are in training mode module by module, as the module is") {
  const auto net = std::make_shared<Normalized>();
  DataParallel parallel(net, cpus(2));
  const ::at::Tensor batch = ::at::full({40, 2}, 1.0);
  const auto zeros_of_each = [&] {
    const ::at::Tensor zeros = parallel.forward(batch).eq(0).view({2, 40}).sum(1);
    return std::pair(zeros[0].item<std::int64_t>(), zeros[1].item<std::int64_t>());
  };
  net->norm->eval();
  const auto dropped = zeros_of_each();
  CHECK(dropped.first > 0);
  CHECK(dropped.second > 0);
  net->drop->eval();
  net->norm->train();
  net->norm->weight.set_data(::at::full({2}, 0.0));
  net->norm->bias.set_data(::at::full({2}, 1.0));
  CHECK(zeros_of_each() == std::pair<std::int64_t, std::int64_t>(0, 0));
  net->train();
  CHECK(zeros_of_each().second > 0);
}

TEST_CASE("a replica that throws is named, and the next batch is computed") {
  const auto net = make_net(::at::kCPU);
  DataParallel parallel(net, cpus(3));
  ::at::Tensor batch = random({6, 6}, 1);
  const ::at::Tensor wanted = parallel.forward(batch, true);
  ::at::Tensor poisoned = batch.clone();
  poisoned[4][0] = Net::kPoison;
  try {
    parallel.forward(poisoned, true);
    FAIL("nothing was thrown");
  } catch (const ReplicaError& error) {
    CHECK(std::string(error.what()) == "replica 2 on cpu: poison");
  }
  CHECK(::at::equal(parallel.forward(batch, true), wanted));
  CHECK_THROWS_AS(parallel.forward(batch.view({36}), true), ReplicaError);  // LibTorch's own error
}

TEST_CASE("without gradients, replicas make no graph") {
  const auto net = make_net(::at::kCPU);
  DataParallel parallel(net, cpus(2));
  const ::at::Tensor batch = random({4, 6}, 1);
  CHECK(parallel.forward(batch, true).requires_grad());
  const ::at::NoGradGuard no_grad;
  CHECK_FALSE(parallel.forward(batch, true).requires_grad());
}

TEST_CASE(
    "a module that is changed between a forward and its backward pass is LibTorch's error, not a wrong "
    "gradient") {
  const auto net = make_net(::at::kCPU);
  DataParallel parallel(net, cpus(2));
  const ::at::Tensor loss = loss_of(parallel.forward(random({4, 6}, 1), true));
  loss.backward({}, true);
  step(*net);
  parallel.forward(random({4, 6}, 1), true);
  CHECK_THROWS_AS(loss.backward(), ::c10::Error);
}

TEST_CASE("replicas are refused for a module that has changed its shape, or cannot be cloned") {
  const auto net = make_net(::at::kCPU);
  DataParallel parallel(net, cpus(2));
  net->branch->weight.set_data(random({5, 4}, 1));
  CHECK_THROWS_AS(parallel.forward(random({4, 6}, 1), false), ArgumentError);
  struct Plain : ::torch::nn::Module {
    ::at::Tensor forward(const ::at::Tensor& input) { return input; }
  };
  CHECK_THROWS_AS(DataParallel(std::make_shared<Plain>(), cpus(2)), ::c10::Error);
  CHECK_THROWS_AS(DataParallel(net, cpus(2), {.intra_op_threads = -1}), ArgumentError);
}

TEST_CASE("making replicas draws no random numbers") {
  auto generator = ::at::detail::getDefaultCPUGenerator();
  const auto net = make_net(::at::kCPU);
  generator.set_current_seed(5);
  const ::at::Tensor wanted = ::at::rand({8});
  generator.set_current_seed(5);
  DataParallel parallel(net, cpus(3));
  CHECK(::at::equal(::at::rand({8}), wanted));
}

TEST_CASE("two objects train at the same time, each on a thread of its own") {
  std::vector<std::thread> threads;
  std::vector<std::string> errors(2);
  for (std::string& error : errors) {
    threads.emplace_back([&error] {
      try {
        const auto net = make_net(::at::kCPU);
        DataParallel parallel(net, cpus(3));
        for (int i = 0; i < 50; ++i) {
          const ::at::Tensor batch = random({7, 6}, 1);
          if (!::at::allclose(parallel.forward(batch, true), net->forward(batch, true), 0, 1e-12))
            throw std::runtime_error("results differ");
          loss_of(parallel.forward(batch, true)).backward();
          step(*net);
        }
      } catch (const std::exception& thrown) {
        error = thrown.what();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("a forked process is told that it has no replicas, and ends", "[process]") {
  const auto net = make_net(::at::kCPU);
  auto parallel = std::make_unique<DataParallel<Net>>(net, cpus(2));
  const ::at::Tensor batch = random({4, 6}, 1);
  parallel->forward(batch, true);
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      parallel->forward(batch, true);
    } catch (const Error& error) {
      status = std::string(error.what()).find("forked") == std::string::npos ? 2 : 0;
    }
    parallel.reset();
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(parallel->forward(batch, true).defined());
}

}  // namespace
}  // namespace leat::test
