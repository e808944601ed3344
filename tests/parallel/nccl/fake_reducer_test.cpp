// Gradients that are reduced over NCCL between fake GPUs, in any order of their streams.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <random>

#include "leat/parallel/gradient_reducer.h"
#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;
using cuda_fake::fake_nccl;

constexpr std::array<std::size_t, 4> kCounts{7, 2000, 300, 20'000};  // of the parameters
constexpr std::size_t kOwnMemory = 1;  // the parameter whose gradient has its own
constexpr std::size_t kSteps = 3;

float gradient_of(int rank, std::size_t step, std::size_t parameter) {
  return static_cast<float>((static_cast<std::size_t>(rank) + 1) * (step + 1) * (parameter + 1));
}

// What a rank allocates, before the ranks run and until all have ended: CUDA waits for all GPUs of a process when it
// frees memory, and one of these may wait for this rank.
class Replica {
 public:
  Replica(Device& device, int rank) : device_(device), rank_(rank) {
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      const std::size_t bytes = kCounts[i] * sizeof(float);
      values_.push_back(device.allocate(bytes));
      parameters_.push_back(
          {.name = std::to_string(i), .value = view_of(values_.back(), kCounts[i]), .gradient = {}});
      for (std::size_t step = 0; step < kSteps; ++step) {
        produced_.push_back(device.allocate_pinned(bytes));
        std::fill_n(reinterpret_cast<float*>(produced_.back().data()), kCounts[i],
                    gradient_of(rank, step, i));
        reduced_.push_back(device.allocate_pinned(bytes));
      }
    }
    own_ = device.allocate(kCounts[kOwnMemory] * sizeof(float));
    parameters_[kOwnMemory].gradient = view_of(own_, kCounts[kOwnMemory]);
    const Stream stream = device.make_stream();
    for (const DeviceBuffer& value : values_) device.fill_zero(value.data(), value.size(), stream);
    stream.ref().synchronize();
  }

  // Three steps, none of which the host waits for. Two streams produce gradients, and a third one takes the sums.
  void run(Communicator& communicator) {
    GradientReducer reducer(communicator, parameters_, {.bucket_cap_mb = 0.01, .first_bucket_mb = 0.001});
    const Stream producers[] = {device_.make_stream(), device_.make_stream()},
                 consumer = device_.make_stream();
    const Event taken = device_.make_event();
    for (std::size_t step = 0; step < kSteps; ++step) {
      for (std::size_t i = kCounts.size(); i-- > 0;) {
        const StreamRef stream = producers[i % 2];
        device_.wait(stream, taken);
        const TensorView& gradient = reducer.gradient(i);
        device_.copy(gradient.data, produced_[i * kSteps + step].data(), gradient.bytes(), stream);
        reducer.mark_ready(i, stream);
      }
      reducer.finish(consumer);
      for (std::size_t i = 0; i < kCounts.size(); ++i) {
        const TensorView& gradient = reducer.gradient(i);
        device_.copy(reduced_[i * kSteps + step].data(), gradient.data, gradient.bytes(), consumer);
      }
      device_.record(taken, consumer);
    }
    consumer.ref().synchronize();
  }

  void check(int ranks) const {
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      for (std::size_t step = 0; step < kSteps; ++step) {
        const auto* const first = reinterpret_cast<const float*>(reduced_[i * kSteps + step].data());
        float sum = 0;
        for (int rank = 0; rank < ranks; ++rank) sum += gradient_of(rank, step, i);
        INFO("rank " << rank_ << ", parameter " << i << ", step " << step);
        CHECK(std::vector<float>(first, first + kCounts[i]) == std::vector<float>(kCounts[i], sum));
      }
    }
  }

 private:
  static TensorView view_of(const DeviceBuffer& memory, std::size_t count) {
    return {.data = memory.data(), .dtype = DType::f32, .shape = {count}};
  }

  Device& device_;
  const int rank_;
  std::vector<DeviceBuffer> values_;
  DeviceBuffer own_;
  std::vector<PinnedBuffer> produced_, reduced_;  // by parameter and step
  std::vector<Parameter> parameters_;
};

void reduce_in_order(int ranks, std::uint64_t seed) {
  INFO(ranks << " ranks, seed " << seed);
  fake_nccl().reset();
  fake_nccl().polls_in_progress = static_cast<int>(seed % 2);
  const Group group = nccl_ranks(ranks, 20s);
  std::vector<Replica> replicas;
  for (int rank = 0; rank < ranks; ++rank) replicas.emplace_back(cuda_device(rank), rank);
  cuda_fake::run_randomly(seed);
  run_ranks(ranks, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    replicas[r].run(*group[r]);
    group[r]->barrier();
  });
  cuda_fake::go_free();
  for (const Replica& replica : replicas) replica.check(ranks);
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
  CHECK(fake_nccl().aborted == 0);
}

TEST_CASE(
    "in any order of the streams of 1, 2 and 4 fake GPUs, gradients are summed, and nothing is reported") {
  const int ranks = GENERATE(1, 2, 4);
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 5; ++seed) reduce_in_order(ranks, seed);
}

TEST_CASE("in 200 orders of the streams of 2 and 4 fake GPUs, gradients are summed", "[slow]") {
  const int ranks = GENERATE(2, 4);
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 200; ++seed) reduce_in_order(ranks, seed);
}

}  // namespace
}  // namespace leat::test
