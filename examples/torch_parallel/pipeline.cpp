// Trains a network whose two halves are on two devices. While the second half computes one part of a batch, the first
// half computes the next. With two GPUs, each has one half; otherwise both are on the CPU, on a thread each.
#include <leat/torch.h>
#include <torch/torch.h>

#include <cstdio>
#include <exception>

int main() try {
  torch::manual_seed(1);
  const bool has_gpus = torch::cuda::device_count() >= 2;
  const at::Device first = has_gpus ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  const at::Device second = has_gpus ? at::Device(at::kCUDA, 1) : at::Device(at::kCPU);

  using torch::nn::Linear, torch::nn::Sequential, torch::nn::Tanh;
  // A stage is a module that takes a tensor and returns one. The pipeline moves it to its device.
  leat::torch::Pipeline pipeline{{{Sequential(Linear(2, 64), Tanh()), first},
                                  {Sequential(Linear(64, 64), Tanh(), Linear(64, 1)), second}},
                                 {.micro_batches = 4}};
  torch::optim::Adam optimizer(pipeline.parameters(), 0.01);

  for (int step = 0; step <= 500; ++step) {
    const at::Tensor x = torch::rand({100, 2}) * 2 - 1;  // points of a surface
    const at::Tensor y = (x.select(1, 0) * 3).sin() * x.select(1, 1);

    optimizer.zero_grad();
    // Forward and backward passes of all micro-batches. The loss is the mean over all rows.
    const at::Tensor loss = pipeline.train_step(x, y.unsqueeze(1), torch::nn::MSELoss());
    optimizer.step();
    if (step % 100 == 0) std::printf("step %d: loss %.4f\n", step, loss.item<double>());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "torch_pipeline: %s\n", error.what());
  return 1;
}
