// Dividing LibTorch's tensors among devices, joining them, and forward passes on several threads.
#include "tests/torch/catch.h"

#include "leat/torch/data_parallel.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/module.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/torch/devices.h"

namespace leat::test {
namespace {

using leat::torch::gather;
using leat::torch::parallel_apply;
using leat::torch::ReplicaError;
using leat::torch::scatter;

std::vector<std::int64_t> rows_of(const std::vector<::at::Tensor>& chunks) {
  std::vector<std::int64_t> rows;
  for (const ::at::Tensor& each : chunks) rows.push_back(each.size(0));
  return rows;
}

template <class E, class Run>
std::string thrown_by(Run&& run) {
  try {
    run();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& fragment) {
  return text.find(fragment) != std::string::npos;
}

void check_round_trip(const std::vector<::at::Device>& devices) {
  const ::at::Tensor batch = ::at::arange(35, ::at::kDouble).view({7, 5}).requires_grad_();
  const auto chunks = scatter(batch, devices);
  for (std::size_t i = 0; i < chunks.size(); ++i) CHECK(chunks[i].device() == devices[i]);
  const ::at::Tensor joined = gather(chunks, ::at::kCPU);
  CHECK(::at::equal(joined, batch));
  (joined * joined).sum().backward();
  CHECK(::at::equal(batch.grad(), batch * 2));
}

TEST_CASE("scatter divides rows as torch.chunk does, into views of the batch where it is on the device") {
  const ::at::Tensor batch = ::at::arange(20).view({10, 2});
  using Rows = std::vector<std::int64_t>;
  CHECK(rows_of(scatter(batch, cpus(4))) == Rows{3, 3, 3, 1});
  CHECK(rows_of(scatter(batch.slice(0, 0, 5), cpus(4))) == Rows{2, 2, 1});
  CHECK(rows_of(scatter(batch.slice(0, 0, 1), cpus(3))) == Rows{1});
  CHECK(rows_of(scatter(batch.slice(0, 0, 0), cpus(3))) == Rows{0});
  CHECK(scatter(batch, cpus(4))[1].data_ptr() == batch[3].data_ptr());
  check_round_trip(cpus(3));
}

TEST_CASE("scattered tensors are joined on another device, and gradients flow back, on GPUs", "[gpu]") {
  if (const auto devices = gpus(3); !devices.empty()) check_round_trip(devices);
}

TEST_CASE("scatter and gather take tensors in vectors, maps, tuples and optionals") {
  const ::at::Tensor a = ::at::arange(5), b = ::at::arange(5) * 10;
  using Batch = std::tuple<std::map<std::string, ::at::Tensor>, std::vector<::at::Tensor>,
                           std::optional<::at::Tensor>, std::array<::at::Tensor, 2>, ::at::Tensor>;
  const Batch batch{{{"a", a}, {"b", b}}, {a, b, a}, std::nullopt, {b, a}, ::at::Tensor()};
  const auto chunks = scatter(batch, cpus(2));
  REQUIRE(chunks.size() == 2);
  CHECK(::at::equal(std::get<0>(chunks[1]).at("b"), b.slice(0, 3)));
  CHECK(std::get<1>(chunks[0]).size() == 3);
  CHECK_FALSE(std::get<4>(chunks[1]).defined());
  const Batch joined = gather(chunks, ::at::kCPU);
  CHECK(::at::equal(std::get<0>(joined).at("a"), a));
  CHECK(::at::equal(std::get<1>(joined).at(1), b));
  CHECK_FALSE(std::get<2>(joined).has_value());
  CHECK(::at::equal(std::get<3>(joined)[0], b));

  const auto with_number = scatter(std::pair<::at::Tensor, int>(a, 7), cpus(2));
  CHECK(with_number.at(1).second == 7);
  CHECK(scatter(std::string("text"), cpus(3)).size() == 3);
}

TEST_CASE("gather makes a vector of tensors without dimensions") {
  const std::vector<::at::Tensor> losses{::at::full({}, 1.0), ::at::full({}, 3.0)};
  CHECK(::at::equal(gather(losses, ::at::kCPU), ::at::arange(1.0, 4.0, 2.0, ::at::kFloat)));
}

TEST_CASE("batches that cannot be divided or joined are refused") {
  const ::at::Tensor a = ::at::arange(5);
  const auto refused = [](auto&& run) { return thrown_by<ArgumentError>(run); };
  CHECK(has(refused([&] { scatter(a, {}); }), "no devices"));
  CHECK(has(refused([&] { scatter(::at::full({}, 1.0), cpus(2)); }), "no dimensions"));
  CHECK(has(refused([&] { scatter(std::vector{a, a.slice(0, 1)}, cpus(2)); }), "5 and 4 rows"));
  CHECK(has(refused([] { gather(std::vector<::at::Tensor>(), ::at::kCPU); }), "no outputs"));
  CHECK(has(refused([&] { gather(std::vector{a, ::at::Tensor()}, ::at::kCPU); }), "undefined"));
  using Lists = std::vector<std::vector<::at::Tensor>>;
  CHECK(has(refused([&] { gather(Lists{{a}, {a, a}}, ::at::kCPU); }), "2 elements where the first has 1"));
  using Maps = std::vector<std::map<int, ::at::Tensor>>;
  CHECK(has(refused([&] { gather(Maps{{{1, a}}, {{2, a}}}, ::at::kCPU); }), "different keys"));
  const std::vector<std::optional<::at::Tensor>> halves{a, std::nullopt};
  CHECK(has(refused([&] { gather(halves, ::at::kCPU); }), "optional"));
}

// Returns what a function of the input returns.
struct Probe : ::torch::nn::Module {
  explicit Probe(std::function<int(int)> what) : run(std::move(what)) {}
  int forward(int input) { return run(input); }
  std::function<int(int)> run;
};

std::vector<std::shared_ptr<Probe>> probes(std::size_t count, const std::function<int(int)>& what) {
  return std::vector(count, std::make_shared<Probe>(what));
}

TEST_CASE("parallel_apply runs all replicas at the same time") {
  std::atomic<int> present = 0;
  const auto meet = [&present](int input) {
    ++present;
    while (present < 3)
      std::this_thread::yield();  // each waits for the others: a hang if they were run in turn
    return input * input;
  };
  const std::vector<int> squares = parallel_apply(probes(3, meet), std::vector{1, 2, 3}, cpus(3));
  CHECK(squares == std::vector{1, 4, 9});
}

TEST_CASE("threads of parallel_apply have the caller's grad mode, inference mode and autocast") {
  const auto seen = [](int) {
    return (::at::GradMode::is_enabled() ? 1 : 0) + (::c10::InferenceMode::is_enabled() ? 2 : 0) +
           (::at::autocast::is_cpu_enabled() ? 4 : 0) +
           (::at::autocast::get_autocast_gpu_dtype() == ::at::kBFloat16 ? 8 : 0);
  };
  const auto all_see = [&](int wanted) {
    return parallel_apply(probes(2, seen), std::vector{0, 0}, cpus(2)) == std::vector{wanted, wanted};
  };
  CHECK(all_see(1));
  {
    const ::at::NoGradGuard no_grad;
    CHECK(all_see(0));
  }
  {
    const ::c10::InferenceMode inference;
    CHECK(all_see(2));
  }
  const auto dtype = ::at::autocast::get_autocast_gpu_dtype();
  ::at::autocast::set_cpu_enabled(true);
  ::at::autocast::set_autocast_gpu_dtype(::at::kBFloat16);
  CHECK(all_see(13));
  ::at::autocast::set_autocast_gpu_dtype(dtype);
  ::at::autocast::set_cpu_enabled(false);
  CHECK(all_see(1));
}

TEST_CASE("replicas on the CPU share the caller's number of threads, which stays as it is") {
  const int before = ::at::get_num_threads();
  ::at::set_num_threads(6);
  const auto threads = [](int) { return ::at::get_num_threads(); };
  CHECK(parallel_apply(probes(3, threads), std::vector{0, 0, 0}, cpus(3)) == std::vector{2, 2, 2});
  CHECK(::at::get_num_threads() == 6);
  CHECK(std::async(std::launch::async, [] { return ::at::get_num_threads(); }).get() == 6);
  ::at::set_num_threads(before);
}

TEST_CASE("of several errors, that of the first device is thrown, after all replicas have ended") {
  std::promise<void> last_has_thrown;
  std::atomic<int> ended = 0;
  const auto work = [&](int input) {
    if (input == 2) {
      last_has_thrown.set_value();
      throw std::logic_error("planted in 2");
    }
    if (input == 1) last_has_thrown.get_future().wait();
    ++ended;
    if (input == 1) throw std::logic_error("planted in 1");
    return 0;
  };
  try {
    parallel_apply(probes(3, work), std::vector{0, 1, 2}, cpus(3));
    FAIL("nothing was thrown");
  } catch (const ReplicaError& error) {
    CHECK(std::string(error.what()) == "replica 1 on cpu: planted in 1");
    CHECK(error.replica() == 1);
    CHECK(error.device() == ::at::Device(::at::kCPU));
    CHECK_THROWS_AS(std::rethrow_exception(error.cause()), std::logic_error);
  }
  CHECK(ended == 2);
  const auto throws_number = [](int) -> int { throw 5; };
  CHECK(
      has(thrown_by<ReplicaError>([&] { parallel_apply(probes(1, throws_number), std::vector{0}, cpus(1)); }),
          "not derived"));
  CHECK(has(thrown_by<ArgumentError>([&] { parallel_apply(probes(2, work), std::vector{0}, cpus(2)); }),
            "2 replicas, 1 inputs and 2 devices"));
}

TEST_CASE("a tuple is the arguments of forward()") {
  struct Sum : ::torch::nn::Module {
    ::at::Tensor forward(const ::at::Tensor& a, const ::at::Tensor& b) { return a + b; }
  };
  const ::at::Tensor a = ::at::arange(4), b = ::at::arange(4) * 10;
  const auto inputs = scatter(std::tuple(a, b), cpus(2));
  const auto outputs = parallel_apply(std::vector(2, std::make_shared<Sum>()), inputs, cpus(2));
  CHECK(::at::equal(gather(outputs, ::at::kCPU), a + b));
}

}  // namespace
}  // namespace leat::test
