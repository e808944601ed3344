// One rank of a training that measures its steps: a model of LibTorch's, alone or with leat's DistributedDataParallel.
//   leat-data-parallel none|shared|gloo small|large STEPS
// RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT tell the rank. bench/data_parallel.sh runs two of them, in turn with
// others. Rank 0 prints the median of its steps in milliseconds.
#include <leat/parallel/gloo_communicator.h>
#include <leat/parallel/shared_memory_communicator.h>
#include <leat/parallel/tcp_store.h>
#include <leat/parallel/world_settings.h>
#include <leat/torch/distributed_data_parallel.h>

#include <ATen/Parallel.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using leat::torch::DistributedDataParallel;

// The small one has 0.27 million parameters, the large one 25 million. bench/data_parallel/peer.py has the same.
struct Model {
  std::vector<std::int64_t> widths;
  std::int64_t batch;
};

Model model_of(const std::string& name) {
  if (name == "small") return {{784, 256, 256, 10}, 64};
  if (name == "large") return {{2048, 2048, 2048, 2048, 2048, 2048, 2048, 10}, 8};
  throw std::invalid_argument("the model is small or large, not " + name);
}

torch::nn::Sequential network(const Model& model) {
  torch::nn::Sequential net;
  for (std::size_t i = 0; i + 1 < model.widths.size(); ++i) {
    if (i > 0) net->push_back(torch::nn::ReLU());
    net->push_back(torch::nn::Linear(model.widths[i], model.widths[i + 1]));
  }
  return net;
}

std::unique_ptr<leat::Communicator> connect(const std::string& engine, const leat::WorldSettings& world) {
  auto store = std::make_shared<leat::TcpStore>(world);
  if (engine == "shared") return leat::make_shared_memory_communicator(std::move(store));
  if (engine == "gloo") return leat::make_gloo_communicator(std::move(store));
  throw std::invalid_argument("the engine is none, shared or gloo, not " + engine);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void run(const std::string& engine, const Model& model, int steps) {
  at::set_num_threads(1);
  torch::manual_seed(1);
  const leat::WorldSettings world = leat::world_from_environment().value_or(leat::WorldSettings());
  torch::nn::Sequential net = network(model);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(1e-4).momentum(0.9));
  std::unique_ptr<leat::Communicator> communicator;
  std::optional<DistributedDataParallel> ddp;
  if (engine != "none") {
    communicator = connect(engine, world);
    ddp.emplace(*communicator, *net);
  }
  const at::Tensor rows = at::randn({model.batch, model.widths.front()});
  const at::Tensor labels = at::randint(model.widths.back(), {model.batch}, at::kLong);
  std::vector<double> times;
  for (int step = 0; step < steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    for (const at::Tensor& each : net->parameters()) each.mutable_grad().reset();
    torch::nn::functional::cross_entropy(net->forward(rows), labels).backward();
    optimizer.step();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (step >= steps / 5) times.push_back(time.count());
  }
  if (world.rank == 0) std::printf("%.3f\n", median(times));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: leat-data-parallel none|shared|gloo small|large STEPS\n");
    return 2;
  }
  run(argv[1], model_of(argv[2]), std::max(std::atoi(argv[3]), 5));
} catch (const std::exception& error) {
  std::fprintf(stderr, "leat-data-parallel: %s\n", error.what());
  return 1;
}
