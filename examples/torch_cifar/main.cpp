// Trains a small network of LibTorch's on images, fed by leat and then by torch::data, and prints the speed of both.
// `leat-run -n 2 torch_cifar ...` trains it with leat on two ranks, each on half of every batch.
//   torch_cifar URI [EPOCHS]
// URI is a folder of images with one sub-folder per class, such as CIFAR-10 as JPEGs, or any other that leat reads.
// LEAT_CACHE_DIR=. leat-train --data synthetic:2000 makes some, for torch_cifar synthetic-v1-2000/train.
#include <leat.h>
#include <leat/torch.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

constexpr std::size_t kBatch = 64;
constexpr int kWorkers = 2;

torch::nn::Sequential network(std::int64_t classes) {
  using torch::nn::Conv2dOptions;
  return torch::nn::Sequential(
      torch::nn::Conv2d(Conv2dOptions(3, 16, 3).stride(2).padding(1)), torch::nn::ReLU(),
      torch::nn::Conv2d(Conv2dOptions(16, 32, 3).stride(2).padding(1)), torch::nn::ReLU(),
      torch::nn::Flatten(), torch::nn::Linear(32 * 8 * 8, classes));
}

// Samples, seconds and the losses of some steps: all that an epoch prints.
class Meter {
 public:
  void step(torch::nn::Sequential& net, torch::optim::Optimizer& optimizer, const at::Tensor& image,
            const at::Tensor& label) {
    const at::Tensor pixels = image.permute({0, 3, 1, 2}).to(at::kFloat) / 127.5 - 1;
    const at::Tensor loss = torch::nn::functional::cross_entropy(net->forward(pixels), label);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    loss_ += loss.item<double>() * static_cast<double>(image.size(0));
    samples_ += image.size(0);
  }
  void print(const char* name, std::uint64_t epoch) const {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    std::printf("%-11s  epoch %d: loss %.3f, %.0f samples/s\n", name, static_cast<int>(epoch),
                loss_ / static_cast<double>(samples_), static_cast<double>(samples_) / time.count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t samples_ = 0;
  double loss_ = 0;
};

// The same samples as a dataset of LibTorch's, decoded by the same code.
class Images : public torch::data::datasets::Dataset<Images> {
 public:
  explicit Images(const leat::Dataset& images) : images_(images) {}
  torch::optional<std::size_t> size() const override { return images_.size(); }
  torch::data::Example<> get(std::size_t index) override {
    torch::data::Example<> example{at::empty({32, 32, 3}, at::kByte), at::empty({}, at::kLong)};
    const std::array columns{static_cast<std::byte*>(example.data.data_ptr()),
                             static_cast<std::byte*>(example.target.data_ptr())};
    leat::SampleWriter row(images_.schema(), columns, 0);
    leat::Rng rng(1, 0, index);
    images_.get(index, rng, row);
    return example;
  }

 private:
  const leat::Dataset& images_;
};

void train_with_leat(const leat::Dataset& images, std::int64_t classes, std::uint64_t epochs,
                     const leat::World& world) {
  const auto sampler = std::make_shared<leat::DistributedSampler>(
      images.size(),
      leat::DistributedSamplerOptions{.rank = world.rank(), .world_size = world.size(), .seed = 1});
  leat::DataLoader loader(images, {.batch_size = kBatch / static_cast<std::size_t>(world.size()),
                                   .sampler = sampler,
                                   .num_workers = kWorkers,
                                   .seed = 1});
  torch::manual_seed(1);
  torch::nn::Sequential net = network(classes);
  torch::optim::Adam optimizer(net->parameters());
  leat::torch::DistributedDataParallel ddp(world, *net);
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    Meter meter;
    for (auto& batch : leat::torch::batches(loader, epoch))
      meter.step(net, optimizer, batch["image"], batch["label"]);
    if (world.rank() == 0) meter.print("leat", epoch);
  }
}

void train_with_torch_data(const leat::Dataset& images, std::int64_t classes, std::uint64_t epochs) {
  torch::manual_seed(1);
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      Images(images).map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(kBatch).workers(kWorkers));
  torch::nn::Sequential net = network(classes);
  torch::optim::Adam optimizer(net->parameters());
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    Meter meter;
    for (auto& batch : *loader) meter.step(net, optimizer, batch.data, batch.target);
    meter.print("torch::data", epoch);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: torch_cifar URI [EPOCHS]\n");
    return 2;
  }
  const leat::ImageDataset images(leat::open_source(argv[1]), leat::Resize(32) | leat::CenterCrop(32));
  const auto classes = static_cast<std::int64_t>(std::max<std::size_t>(images.classes().size(), 10));
  const std::uint64_t epochs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2;
  const leat::World world;
  if (world.size() > 1) torch::set_num_threads(1);
  train_with_leat(images, classes, epochs, world);
  if (world.size() == 1) train_with_torch_data(images, classes, epochs);
} catch (const std::exception& error) {
  std::fprintf(stderr, "torch_cifar: %s\n", error.what());
  return 1;
}
