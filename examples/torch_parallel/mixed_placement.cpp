// Trains a network whose embedding stays in the memory of the CPU, for tables that are too large for a GPU. The rest
// is on a GPU, or on the CPU, too, if there is none.
#include <leat/torch.h>
#include <torch/torch.h>

#include <cstdint>
#include <cstdio>
#include <exception>

int main() try {
  torch::manual_seed(1);
  const at::Device device(torch::cuda::is_available() ? at::kCUDA : at::kCPU);
  constexpr std::int64_t kWords = 10;

  // Two words in, ten classes out: the network learns to add modulo ten.
  using torch::nn::Flatten, torch::nn::Linear, torch::nn::ReLU, torch::nn::Sequential;
  const torch::nn::Embedding table(kWords, 16);
  const Sequential rest(Flatten(), Linear(2 * 16, 128), ReLU(), Linear(128, kWords));

  // The CPU looks up the words of one micro-batch while the device computes another. The rows that were looked up, and
  // their gradients, cross between the devices; the table does not.
  leat::torch::Pipeline pipeline{{{table, at::kCPU}, {rest, device}}, {.micro_batches = 2}};
  torch::optim::Adam optimizer(pipeline.parameters(), 0.01);

  for (int step = 0; step <= 500; ++step) {
    const at::Tensor words = torch::randint(kWords, {64, 2}, at::kLong);
    const at::Tensor sums = words.sum(1).remainder(kWords);

    optimizer.zero_grad();
    const at::Tensor loss = pipeline.train_step(words, sums, torch::nn::CrossEntropyLoss());
    optimizer.step();
    if (step % 100 == 0) std::printf("step %d: loss %.4f\n", step, loss.item<double>());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "torch_mixed_placement: %s\n", error.what());
  return 1;
}
