// LibTorch's modules in a pipeline of stages.
#include "tests/torch/catch.h"

#include "leat/torch/pipeline.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/loss.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/parallel/local_group.h"
#include "leat/torch/distributed_data_parallel.h"
#include "tests/parallel/support/ranks.h"
#include "tests/torch/devices.h"

namespace leat::test {
namespace {

using leat::torch::Pipeline;
using leat::torch::PipelineSchedule;
using leat::torch::PipelineStage;
using leat::torch::StageError;
using leat::torch::detail::PipelineTask;
using leat::torch::detail::tasks_of_stage;

constexpr PipelineSchedule kSchedules[] = {PipelineSchedule::gpipe,
                                           PipelineSchedule::one_forward_one_backward};

::at::Tensor random(::at::IntArrayRef shape, std::uint64_t seed) {
  return ::at::randn(shape, ::at::make_generator<::at::CPUGeneratorImpl>(seed), ::at::kDouble);
}

::at::Tensor mean_square(const ::at::Tensor& output, const ::at::Tensor& target) {
  return (output - target).square().mean();
}

// A layer of a model; `around` is called with its output.
struct Layer : ::torch::nn::Module {
  Layer(std::uint64_t seed, ::at::ScalarType dtype, bool is_trained = true)
      : linear(register_module("linear", ::torch::nn::Linear(4, 4))) {
    linear->weight.set_data((random({4, 4}, seed) * 0.7).to(dtype));
    linear->bias.set_data((random({4}, seed + 1000) * 0.7).to(dtype));
    for (::at::Tensor& each : parameters()) each.set_requires_grad(is_trained);
  }
  ::at::Tensor forward(const ::at::Tensor& rows) {
    ::at::Tensor output = linear->forward(rows).tanh();
    return around ? around(output) : output;
  }
  ::torch::nn::Linear linear;
  std::function<::at::Tensor(const ::at::Tensor&)> around;
};
using Layers = std::vector<std::shared_ptr<Layer>>;

Layers make_layers(std::size_t count, ::at::ScalarType dtype = ::at::kDouble) {
  Layers layers;
  for (std::size_t i = 0; i < count; ++i) layers.push_back(std::make_shared<Layer>(i, dtype));
  return layers;
}

std::vector<PipelineStage> stages_of(const Layers& layers, const std::vector<::at::Device>& devices) {
  std::vector<PipelineStage> stages;
  for (std::size_t i = 0; i < layers.size(); ++i) stages.emplace_back(layers[i], devices[i]);
  return stages;
}

::at::Tensor unsplit(const Layers& layers, ::at::Tensor rows) {
  for (const auto& each : layers) rows = each->forward(rows);
  return rows;
}

std::vector<::at::Tensor> gradients(const Layers& layers) {
  std::vector<::at::Tensor> all;
  for (const auto& layer : layers) {
    for (const ::at::Tensor& each : layer->parameters()) {
      if (each.grad().defined()) all.push_back(each.grad().cpu().clone());
    }
  }
  return all;
}

bool all_close(const std::vector<::at::Tensor>& a, const std::vector<::at::Tensor>& b) {
  return std::ranges::equal(
      a, b, [](const ::at::Tensor& x, const ::at::Tensor& y) { return ::at::allclose(x, y, 0, 1e-12); });
}

bool all_equal(const std::vector<::at::Tensor>& a, const std::vector<::at::Tensor>& b) {
  return std::ranges::equal(a, b,
                            [](const ::at::Tensor& x, const ::at::Tensor& y) { return ::at::equal(x, y); });
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

std::string text_of(const std::vector<PipelineTask>& tasks) {
  std::string text;
  for (const PipelineTask& each : tasks)
    text += (each.is_backward ? "B" : "F") + std::to_string(each.micro_batch);
  return text;
}

TEST_CASE("stages of a pipeline run passes in the order of their schedule") {
  const auto order = [](PipelineSchedule schedule, std::size_t stage, std::size_t micro_batches) {
    return text_of(tasks_of_stage(schedule, stage, 3, micro_batches));
  };
  CHECK(order(PipelineSchedule::gpipe, 0, 3) == "F0F1F2B0B1B2");
  CHECK(order(PipelineSchedule::gpipe, 2, 3) == "F0F1F2B0B1B2");
  CHECK(order(PipelineSchedule::one_forward_one_backward, 0, 5) == "F0F1F2B0F3B1F4B2B3B4");
  CHECK(order(PipelineSchedule::one_forward_one_backward, 1, 5) == "F0F1B0F2B1F3B2F4B3B4");
  CHECK(order(PipelineSchedule::one_forward_one_backward, 2, 5) == "F0B0F1B1F2B2F3B3F4B4");
  CHECK(order(PipelineSchedule::one_forward_one_backward, 0, 2) == "F0F1B0B1");
  CHECK(order(PipelineSchedule::one_forward_one_backward, 0, 1) == "F0B0");
}

// Several steps with several numbers of rows, compared with the unsplit model.
void check_gradients(const std::vector<::at::Device>& devices) {
  for (const PipelineSchedule schedule : kSchedules) {
    for (const std::size_t micro_batches : {1, 2, 3, 5, 8}) {
      INFO(devices.size() << " stages, " << micro_batches << " micro-batches, schedule "
                          << static_cast<int>(schedule));
      const Layers alone = make_layers(devices.size()), layers = make_layers(devices.size());
      Pipeline pipeline(stages_of(layers, devices), {.micro_batches = micro_batches, .schedule = schedule});
      for (const std::int64_t rows : {7, 1, 10}) {  // whose gradients add up
        const ::at::Tensor x = random({rows, 4}, 1), y = random({rows, 4}, 2);
        const ::at::Tensor wanted = mean_square(unsplit(alone, x), y);
        wanted.backward();
        const ::at::Tensor loss = pipeline.train_step(x, y, mean_square);
        CHECK(::at::allclose(loss.cpu(), wanted.detach(), 0, 1e-12));
        CHECK_FALSE(loss.requires_grad());
        CHECK(all_close(gradients(layers), gradients(alone)));
        CHECK(::at::allclose(pipeline.forward(x).cpu(), unsplit(alone, x), 0, 1e-12));
      }
    }
  }
}

TEST_CASE("a pipeline gives the gradients of the unsplit model") {
  for (const std::size_t stages : {1, 2, 4}) check_gradients(cpus(stages));
}

TEST_CASE("a pipeline gives the gradients of the unsplit model on GPUs, and on the CPU and a GPU", "[gpu]") {
  if (auto devices = gpus(3); !devices.empty()) {
    check_gradients(devices);
    devices[1] = ::at::kCPU;
    check_gradients(devices);
  }
}

TEST_CASE("both schedules give the same bits, each time") {
  std::vector<::at::Tensor> wanted;
  for (const PipelineSchedule schedule : kSchedules) {
    for (int time = 0; time < 5; ++time) {
      const Layers layers = make_layers(3, ::at::kFloat);
      Pipeline pipeline(stages_of(layers, cpus(3)), {.micro_batches = 4, .schedule = schedule});
      const ::at::Tensor x = random({30, 4}, 1).to(::at::kFloat), y = random({30, 4}, 2).to(::at::kFloat);
      std::vector<::at::Tensor> result{pipeline.train_step(x, y, mean_square)};
      for (const ::at::Tensor& each : gradients(layers)) result.push_back(each);
      if (wanted.empty()) wanted = result;
      CHECK(all_equal(result, wanted));
    }
  }
}

// Multiplies by ones that the graph keeps for the backward pass, and counts those that exist.
class Counter {
 public:
  ::at::Tensor mark(const ::at::Tensor& output) {
    peak_ = std::max(peak_.load(), ++alive_);
    auto* const one = new double(1);
    const ::at::Tensor ones = ::at::from_blob(
        one, {1}, [this, one](void*) { delete one, --alive_; }, ::at::TensorOptions(::at::kDouble));
    return output * ones;
  }
  int alive() const { return alive_; }
  int peak() const { return peak_; }

 private:
  std::atomic<int> alive_ = 0, peak_ = 0;
};

TEST_CASE(
    "one_forward_one_backward holds the activations of no more micro-batches than there are stages left") {
  constexpr std::size_t kStages = 4, kMicroBatches = 9;
  for (const PipelineSchedule schedule : kSchedules) {
    const Layers layers = make_layers(kStages);
    std::vector<Counter> counters(kStages);
    for (std::size_t s = 0; s < kStages; ++s)
      layers[s]->around = [&counters, s](const ::at::Tensor& output) { return counters[s].mark(output); };
    Pipeline pipeline(stages_of(layers, cpus(kStages)),
                      {.micro_batches = kMicroBatches, .schedule = schedule});
    for (int step = 0; step < 20; ++step) {
      pipeline.train_step(random({18, 4}, 1), random({18, 4}, 2), mean_square);
      for (std::size_t s = 0; s < kStages; ++s) {
        INFO("stage " << s << ", schedule " << static_cast<int>(schedule));
        const std::size_t bound = schedule == PipelineSchedule::gpipe ? kMicroBatches : kStages - s;
        CHECK(counters[s].peak() == static_cast<int>(bound));
        CHECK(pipeline.peak_micro_batches()[s] == bound);
        CHECK(counters[s].alive() == 0);
      }
    }
  }
}

TEST_CASE("an error in any stage ends the step, is named, and the pipeline can be used again") {
  for (const PipelineSchedule schedule : kSchedules) {
    const Layers alone = make_layers(3), layers = make_layers(3);
    Pipeline pipeline(stages_of(layers, cpus(3)), {.micro_batches = 4, .schedule = schedule});
    const ::at::Tensor x = random({10, 4}, 1), y = random({10, 4}, 2);
    mean_square(unsplit(alone, x), y).backward();
    const auto fails = [&](const PipelineTask& task, std::size_t stage) {
      const std::string error = thrown_by<StageError>([&] { pipeline.train_step(x, y, mean_square); });
      INFO(error);
      CHECK(error == "stage " + std::to_string(stage) + " on cpu, " +
                         (task.is_backward ? "backward" : "forward") + " pass of micro-batch " +
                         std::to_string(task.micro_batch) + ": planted");
      for (const auto& each : layers) each->around = nullptr;
      for (const ::at::Tensor& each : pipeline.parameters()) each.mutable_grad().reset();
      pipeline.train_step(x, y, mean_square);
      CHECK(all_close(gradients(layers), gradients(alone)));
    };
    for (std::size_t stage = 0; stage < 3; ++stage) {
      for (const bool is_backward : {false, true}) {
        int calls = 0;
        layers[stage]->around = [&calls, is_backward](const ::at::Tensor& output) -> ::at::Tensor {
          if (++calls < 3) return output;
          if (!is_backward) throw std::logic_error("planted");
          output.register_hook([](const ::at::Tensor&) { throw std::logic_error("planted"); });
          return output;
        };
        fails({.is_backward = is_backward, .micro_batch = 2}, stage);
      }
    }
    const auto bad_loss = [](const ::at::Tensor&, const ::at::Tensor&) -> ::at::Tensor { throw 5; };
    CHECK(has(thrown_by<StageError>([&] { pipeline.train_step(x, y, bad_loss); }), "stage 2 on cpu"));
    const auto wide = [](const ::at::Tensor& a, const ::at::Tensor& b) { return a - b; };
    CHECK(
        has(thrown_by<StageError>([&] { pipeline.train_step(x, y, wide); }), "not one of the shape [3, 4]"));
    CHECK(has(thrown_by<StageError>([&] { pipeline.forward(x.slice(1, 0, 3)); }), "stage 0 on cpu, forward"));
    CHECK(::at::allclose(pipeline.forward(x), unsplit(alone, x)));
  }
}

TEST_CASE("frozen stages get no gradients, and let those of other stages pass") {
  for (std::size_t frozen = 0; frozen < 3; ++frozen) {
    const Layers alone = make_layers(3), layers = make_layers(3);
    for (const Layers& each : {alone, layers}) {
      for (::at::Tensor& parameter : each[frozen]->parameters()) parameter.set_requires_grad(false);
    }
    Pipeline pipeline(stages_of(layers, cpus(3)), {.micro_batches = 3});
    const ::at::Tensor x = random({7, 4}, 1), y = random({7, 4}, 2);
    mean_square(unsplit(alone, x), y).backward();
    pipeline.train_step(x, y, mean_square);
    CHECK(gradients(layers).size() == 4);
    CHECK(all_close(gradients(layers), gradients(alone)));
  }
}

// Words from their vectors, by the table of an embedding.
struct Decoder : ::torch::nn::Module {
  explicit Decoder(const ::at::Tensor& table) : weight(register_parameter("weight", table)) {}
  ::at::Tensor forward(const ::at::Tensor& rows) { return rows.matmul(weight.t()); }
  ::at::Tensor weight;
};

TEST_CASE("the first stage may take integers, and stages on one device may share parameters") {
  for (const PipelineSchedule schedule : kSchedules) {
    ::torch::nn::Embedding table(9, 4);
    table->weight.set_data(random({9, 4}, 3));
    const auto decoder = std::make_shared<Decoder>(table->weight);
    const Layers layer = make_layers(1);
    const ::at::Tensor words = ::at::arange(11).remainder(9), targets = (words * 2).remainder(9);
    ::torch::nn::CrossEntropyLoss loss;
    loss(decoder->forward(layer[0]->forward(table->forward(words))), targets).backward();
    const ::at::Tensor wanted = table->weight.grad().clone();
    table->weight.mutable_grad().reset();
    Pipeline pipeline({{table, ::at::kCPU}, {layer[0], ::at::kCPU}, {decoder, ::at::kCPU}},
                      {.micro_batches = 4, .schedule = schedule});
    CHECK(pipeline.parameters().size() == 3);
    pipeline.train_step(words, targets, loss);
    CHECK(::at::allclose(table->weight.grad(), wanted, 0, 1e-12));
  }
}

TEST_CASE("dropout in one stage draws the same numbers each time, and in both schedules") {
  std::vector<::at::Tensor> wanted;
  auto generator = ::at::detail::getDefaultCPUGenerator();
  for (const PipelineSchedule schedule : kSchedules) {
    for (int time = 0; time < 3; ++time) {
      const Layers layers = make_layers(2);
      Pipeline pipeline(
          {{layers[0], ::at::kCPU}, {::torch::nn::Dropout(0.5), ::at::kCPU}, {layers[1], ::at::kCPU}},
          {.micro_batches = 4, .schedule = schedule});
      generator.set_current_seed(3);
      pipeline.train_step(random({10, 4}, 1), random({10, 4}, 2), mean_square);
      if (wanted.empty()) wanted = gradients(layers);
      CHECK(all_equal(gradients(layers), wanted));
      pipeline.eval();
      CHECK(::at::equal(pipeline.forward(random({10, 4}, 1)), unsplit(layers, random({10, 4}, 1))));
      pipeline.train();
      CHECK(layers[1]->is_training());
    }
  }
}

TEST_CASE("forward() of a pipeline makes no graph, and stages on the CPU share the number of threads") {
  const int before = ::at::get_num_threads();
  ::at::set_num_threads(6);
  const Layers layers = make_layers(2);
  std::vector<int> threads(2);
  for (std::size_t s = 0; s < 2; ++s)
    layers[s]->around = [&threads, s](const ::at::Tensor& output) {
      threads[s] = ::at::get_num_threads();
      if (output.requires_grad()) throw std::logic_error("there is a graph");
      return output;
    };
  Pipeline pipeline(stages_of(layers, cpus(2)), {.micro_batches = 3});
  CHECK_FALSE(pipeline.forward(random({7, 4}, 1)).requires_grad());
  CHECK(threads == std::vector{3, 3});
  CHECK(::at::get_num_threads() == 6);
  ::at::set_num_threads(before);
  Pipeline single(stages_of(layers, cpus(2)), {.intra_op_threads = 1});
  single.forward(random({1, 4}, 1));
  CHECK(threads == std::vector{1, 1});
}

TEST_CASE("a pipeline refuses what it cannot run") {
  const Layers layers = make_layers(1);
  const auto refused = [](auto&& run) { return thrown_by<ArgumentError>(run); };
  CHECK(has(refused([] { Pipeline({}); }), "no stages"));
  CHECK(has(refused([&] { Pipeline(stages_of(layers, cpus(1)), {.micro_batches = 0}); }), "micro_batches"));
  Pipeline pipeline(stages_of(layers, cpus(1)));
  const ::at::Tensor x = random({3, 4}, 1);
  CHECK(has(refused([&] { pipeline.forward(x.slice(0, 0, 0)); }), "[0, 4]"));
  CHECK(has(refused([&] { pipeline.train_step(x, x.slice(0, 1), mean_square); }),
            "3 rows; the target has the shape [2, 4]"));
  const ::at::NoGradGuard no_grad;
  CHECK(has(refused([&] { pipeline.train_step(x, x, mean_square); }), "grad mode"));
}

TEST_CASE("each rank of a data-parallel job holds a pipeline, whose gradients are reduced after the step") {
  const ::at::Tensor x = random({11, 4}, 1), y = random({11, 4}, 2);
  const Layers alone = make_layers(2);
  for (int step = 0; step < 2; ++step) mean_square(unsplit(alone, x), y).backward();
  auto first_group = make_local_group(2, host_device(), std::chrono::seconds(20));
  auto second_group = make_local_group(2, host_device(), std::chrono::seconds(20));
  run_ranks(2, [&](int rank) {
    const Layers layers = make_layers(2);
    const leat::torch::DistributedOptions options{.averaging = leat::torch::Averaging::rows};
    leat::torch::DistributedDataParallel first(*first_group[static_cast<std::size_t>(rank)], *layers[0],
                                               options);
    leat::torch::DistributedDataParallel second(*second_group[static_cast<std::size_t>(rank)], *layers[1],
                                                options);
    Pipeline pipeline(stages_of(layers, cpus(2)), {.micro_batches = 3});
    const std::int64_t begin = rank == 0 ? 0 : 7, end = rank == 0 ? 7 : 11;
    std::vector<::at::Tensor> sums;
    for (int step = 0; step < 2; ++step) {
      for (auto* ddp : {&first, &second}) {
        ddp->zero_grad();
        ddp->set_rows(static_cast<std::size_t>(end - begin));
      }
      {
        const auto first_is_local = first.no_sync(), second_is_local = second.no_sync();
        pipeline.train_step(x.slice(0, begin, end), y.slice(0, begin, end), mean_square);
      }
      for (auto* ddp : {&first, &second}) ddp->skip_backward();
      const auto reduced = gradients(layers);
      if (step == 0)
        sums = reduced;
      else
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += reduced[i];
    }
    expect(all_close(sums, gradients(alone)), "the gradients of the unsplit model on all rows");
  });
}

TEST_CASE("two pipelines run at the same time") {
  const Layers alone = make_layers(3);
  const ::at::Tensor x = random({10, 4}, 1), y = random({10, 4}, 2);
  mean_square(unsplit(alone, x), y).backward();
  run_ranks(2, [&](int) {
    const Layers layers = make_layers(3);
    Pipeline pipeline(stages_of(layers, cpus(3)), {.micro_batches = 4});
    for (int step = 0; step < 30; ++step) {
      for (const ::at::Tensor& each : pipeline.parameters()) each.mutable_grad().reset();
      pipeline.train_step(x, y, mean_square);
      expect(all_close(gradients(layers), gradients(alone)), "the gradients of the unsplit model");
    }
  });
}

}  // namespace
}  // namespace leat::test
