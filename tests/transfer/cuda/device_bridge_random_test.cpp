// Random programs of streams of the CPU and two GPUs that share buffers, in random orders of the fake CUDA runtime.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

constexpr std::size_t kBytes = 64;

// A buffer, the event behind its last use, and what it holds then. The CPU's are page-locked.
struct Shared {
  Device* device = nullptr;
  PinnedBuffer pinned{};
  DeviceBuffer buffer{};
  Event used;
  std::byte expected{0};

  std::byte* data() const { return device->kind() == DeviceKind::host ? pinned.data() : buffer.data(); }
};

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    for (Device* const device : {&host_device(), &cuda_device(0), &cuda_device(1)}) {
      for (int i = 0; i < 2; ++i) {
        streams_.push_back(device->make_stream());
        add_buffer(*device);
      }
    }
  }

  void run(int operations) {
    for (int i = 0; i < operations; ++i) operate();
    for (const Stream& stream : streams_) stream.ref().synchronize();
  }

  void check() {
    const Stream stream = cuda_device(0).make_stream();
    for (const Shared& shared : shared_)
      CHECK(download(stream, shared.data(), kBytes) == std::vector<std::byte>(kBytes, shared.expected));
  }

 private:
  void add_buffer(Device& device) {
    Shared shared{.device = &device, .used = device.make_event()};
    if (device.kind() == DeviceKind::host) {
      shared.pinned = cuda_device(0).allocate_pinned(kBytes);
    } else {
      shared.buffer = device.allocate(kBytes);
    }
    const StreamRef stream = streams_.back();
    device.fill_zero(shared.data(), kBytes, stream);
    device.record(shared.used, stream);
    shared_.push_back(std::move(shared));
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

  // A stream of the CPU uses the CPU's buffers only.
  Shared& pick(const Device& device) {
    return shared_[below(device.kind() == DeviceKind::host ? 2 : shared_.size())];
  }

  void operate() {
    const StreamRef stream = streams_[below(streams_.size())];
    Device& device = stream.device();
    Shared& to = pick(device);
    Shared& from = pick(device);
    device.wait(stream, to.used);
    device.wait(stream, from.used);
    if (&to == &from || below(8) == 0) {
      write(to, stream);
    } else {
      device.copy(to.data(), from.data(), kBytes, stream);
      to.expected = from.expected;
    }
    mark(to, stream);
    if (&to != &from) mark(from, stream);
  }

  void write(Shared& to, StreamRef stream) {
    if (stream.device().kind() != DeviceKind::host) {
      stream.device().fill_zero(to.data(), kBytes, stream);
      to.expected = std::byte{0};
      return;
    }
    to.expected = static_cast<std::byte>(below(256));
    stream.device().enqueue(
        stream, [memory = to.data(), value = to.expected] { std::fill_n(memory, kBytes, value); });
  }

  // Records the buffer's event again, or destroys it for one of another device, while streams may still wait for it.
  void mark(Shared& shared, StreamRef stream) {
    if (&shared.used.ref().device() != &stream.device() || below(4) == 0)
      shared.used = stream.device().make_event();
    stream.device().record(shared.used, stream);
  }

  std::mt19937_64 random_;
  std::vector<Shared> shared_;
  std::vector<Stream> streams_;  // last: they use the buffers
};

void run_program(std::uint64_t seed) {
  INFO("seed " << seed);
  cuda_fake::run_randomly(seed);
  Program program(seed);
  program.run(100);
  cuda_fake::go_free();
  program.check();
  REQUIRE(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("buffers that streams of the CPU and two GPUs share hold what the last of them wrote") {
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 30; ++seed) run_program(seed);
}

TEST_CASE("buffers that streams of three devices share hold what they should in 1,000 orders", "[slow]") {
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 1'000; ++seed) run_program(seed);
}

}  // namespace
}  // namespace leat::test
