// Captures a step into a CUDA graph, once for each buffer of the prefetcher, and replays it on every batch.
//
// The step here computes nothing but a copy of the normalized images, so that the program can check the result. In a
// training loop it is the forward pass, the backward pass and the update.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <leat.h>

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

// 512 images of 8 x 8 pixels. All pixels of image i are i mod 256.
class Images final : public leat::Dataset {
 public:
  std::size_t size() const override { return 512; }
  const leat::Schema& schema() const override { return schema_; }
  void get(std::size_t index, leat::Rng&, leat::SampleWriter& out) const override {
    for (std::uint8_t& pixel : out.values<std::uint8_t>("image")) pixel = static_cast<std::uint8_t>(index);
  }

 private:
  leat::Schema schema_{{{"image", leat::DType::u8, {8, 8, 3}}}};
};

// Returns a graph of what `step` enqueues on `stream`.
template <class Step>
cudaGraphExec_t capture(cudaStream_t stream, const Step& step) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  step();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphDestroy(graph));
  return executable;
}

}  // namespace

int main() {
  constexpr std::size_t kBuffers = 3;
  const Images images;
  leat::DataLoader loader(images, {.batch_size = 64, .num_workers = 2, .drop_last = true});
  if (leat::cuda_device_count() == 0) {
    std::printf("there is no GPU: %s\n", leat::cuda_unavailable_reason().c_str());
    return 0;
  }
  leat::Device& gpu = leat::cuda_device(0);
  leat::Prefetcher feed(loader, gpu, {.buffers = kBuffers, .normalize = {{"image", "", {}}}});
  const leat::Stream stream = gpu.make_stream();
  auto* const cuda_stream = static_cast<cudaStream_t>(stream.ref().handle());
  const leat::PinnedBuffer result = gpu.allocate_pinned(std::size_t{64} * 8 * 8 * 3 * sizeof(float));
  const auto* const values = reinterpret_cast<const float*>(result.data());

  std::vector<cudaGraphExec_t> graphs(kBuffers);
  std::size_t captures = 0, replays = 0, wrong = 0;
  for (const std::uint64_t epoch : {0, 1, 2}) {
    for (leat::DeviceBatch& batch : feed.epoch(epoch, stream)) {
      cudaGraphExec_t& graph = graphs[batch.buffer()];
      if (graph == nullptr) {
        const leat::TensorView image = batch["image"];
        graph = capture(cuda_stream, [&] { gpu.copy(result.data(), image.data, image.bytes(), stream); });
        ++captures;
      }
      check(cudaGraphLaunch(graph, cuda_stream));
      ++replays;
      stream.ref().synchronize();  // only because the host looks at the result
      const float expected = static_cast<float>(batch.indices()[0] % 256) * leat::Normalization().scale()[0];
      wrong += values[0] == expected ? 0 : 1;
    }
  }
  for (const cudaGraphExec_t graph : graphs) cudaGraphExecDestroy(graph);
  std::printf("%zu graphs captured, %zu batches replayed, %zu wrong\n", captures, replays, wrong);
  return wrong == 0 ? 0 : 1;
}
