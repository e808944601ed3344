// Trains one network on all GPUs of this process: each GPU computes its part of every batch. Without a GPU, two
// replicas on the CPU do.
#include <leat/torch.h>
#include <torch/torch.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

std::vector<at::Device> devices() {
  if (!torch::cuda::is_available()) return {at::kCPU, at::kCPU};
  std::vector<at::Device> gpus;
  for (std::size_t i = 0; i < torch::cuda::device_count(); ++i)
    gpus.emplace_back(at::kCUDA, static_cast<at::DeviceIndex>(i));
  return gpus;
}

}  // namespace

int main() try {
  torch::manual_seed(1);
  const std::vector<at::Device> all = devices();

  // The network is on the first device. Its parameters are the ones that are trained and saved.
  torch::nn::Sequential net(torch::nn::Linear(2, 64), torch::nn::Tanh(), torch::nn::Linear(64, 1));
  net->to(all[0]);
  torch::optim::Adam optimizer(net->parameters(), 0.02);
  leat::torch::DataParallel parallel{net, all};

  for (int step = 0; step <= 500; ++step) {
    // Any source of batches will do, such as leat::torch::batches(). This one draws points of a surface.
    const at::Tensor x = torch::rand({101, 2}, all[0]) * 2 - 1;
    const at::Tensor y = (x.select(1, 0) * 3).sin() * x.select(1, 1);

    const at::Tensor output = parallel.forward(x);  // each device computes its rows
    const at::Tensor loss = torch::mse_loss(output.squeeze(1), y);
    optimizer.zero_grad();
    loss.backward();  // the gradients of all rows are in net's parameters
    optimizer.step();
    if (step % 100 == 0) std::printf("step %d: loss %.4f\n", step, loss.item<double>());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "torch_data_parallel: %s\n", error.what());
  return 1;
}
