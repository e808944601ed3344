// Modules of LibTorch's that several ranks train, and checks in the ranks' threads.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/modules/linear.h>

#include "leat/parallel/local_group.h"
#include "leat/torch/distributed_data_parallel.h"
#include "tests/parallel/support/ranks.h"

namespace leat::test {

// y = weight * x.
struct Line : ::torch::nn::Module {
  explicit Line(double start) { weight = register_parameter("weight", ::at::full({}, start, ::at::kDouble)); }
  ::at::Tensor loss(double x, double target) const { return (weight * x - target).square(); }
  double gradient() const { return weight.grad().item<double>(); }
  ::at::Tensor weight;
};

// Two layers with a branch that is rarely used.
struct Net : ::torch::nn::Module {
  explicit Net(std::uint64_t seed)
      : first(register_module("first", ::torch::nn::Linear(6, 8))),
        second(register_module("second", ::torch::nn::Linear(8, 3))),
        branch(register_module("branch", ::torch::nn::Linear(8, 3))) {
    to(::at::kDouble);
    ::torch::NoGradGuard no_grad;
    auto generator = ::at::make_generator<::at::CPUGeneratorImpl>(seed);
    for (::at::Tensor& each : parameters()) each.normal_(0, 0.3, generator);
  }
  ::at::Tensor forward(const ::at::Tensor& rows, bool with_branch = true) {
    const ::at::Tensor hidden = first->forward(rows).tanh();
    const ::at::Tensor out = second->forward(hidden);
    return with_branch ? out + branch->forward(hidden).tanh() : out;
  }
  void step(double rate) {
    ::torch::NoGradGuard no_grad;
    for (::at::Tensor& each : parameters()) {
      if (each.grad().defined()) each.sub_(each.grad(), rate);
    }
  }
  ::torch::nn::Linear first, second, branch;
};

inline std::vector<::at::Tensor> copies(const std::vector<::at::Tensor>& tensors) {
  std::vector<::at::Tensor> copied;
  for (const ::at::Tensor& each : tensors) copied.push_back(each.detach().clone());
  return copied;
}

inline std::vector<::at::Tensor> gradients(const ::torch::nn::Module& module) {
  std::vector<::at::Tensor> all;
  for (const ::at::Tensor& each : module.parameters()) all.push_back(each.grad());
  return copies(all);
}

inline bool all_equal(const std::vector<::at::Tensor>& a, const std::vector<::at::Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const ::at::Tensor& x, const ::at::Tensor& y) { return ::at::equal(x, y); });
}

// Returns the text of the E that `run` throws; for threads of ranks, where Catch's macros cannot be used.
template <class E, class Run>
std::string error_of(Run&& run) {
  try {
    run();
  } catch (const E& error) {
    return error.what();
  }
  throw std::runtime_error("nothing was thrown");
}

inline void expect_in(const std::string& text, const std::string& fragment) {
  expect(text.find(fragment) != std::string::npos, "\"" + fragment + "\" in: " + text);
}

// Runs a function on each rank of a group, in threads; each uses one thread of LibTorch's.
template <class Run>
void on_ranks(int ranks, Run&& run) {
  ::at::set_num_threads(1);
  auto group = make_local_group(ranks, host_device(), std::chrono::seconds(20));
  run_ranks(ranks, [&](int rank) { run(*group[static_cast<std::size_t>(rank)], rank); });
}

}  // namespace leat::test
