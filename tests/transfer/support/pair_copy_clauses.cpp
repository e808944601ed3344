#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <latch>
#include <span>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/pair_contract.h"

namespace leat::test {
namespace {

constexpr std::size_t kBytes = 3001;

// Page-locked, so that copies do not wait.
PinnedBuffer pinned_ramp(Device& device, unsigned start) {
  PinnedBuffer memory = device.allocate_pinned(kBytes);
  const auto bytes = byte_ramp(kBytes, start, 7);
  std::ranges::copy(bytes, memory.data());
  return memory;
}

// Memory of a device; of the CPU, page-locked by the other device.
class Memory {
 public:
  Memory(Device& device, Device& other) {
    if (device.kind() == DeviceKind::host) {
      pinned_ = other.allocate_pinned(kBytes);
    } else {
      buffer_ = device.allocate(kBytes);
    }
  }
  std::byte* data() const { return pinned_.data() != nullptr ? pinned_.data() : buffer_.data(); }

 private:
  PinnedBuffer pinned_;
  DeviceBuffer buffer_;
};

// Of a CPU and a GPU, the GPU copies.
std::vector<Device*> copiers(Device& first, Device& second) {
  std::vector<Device*> all;
  for (Device* const device : {&first, &second}) {
    if (device->kind() == DeviceKind::cuda || first.kind() == second.kind()) all.push_back(device);
  }
  return all;
}

void copies_go_there_and_back(Device& first, Device& second) {
  for (Device* const copier : copiers(first, second)) {
    INFO("on a stream of " << copier->name());
    const Stream stream = copier->make_stream();
    const PinnedBuffer source = pinned_ramp(*copier, 5);
    const DeviceBuffer here = first.allocate(kBytes);
    const DeviceBuffer there = second.allocate(kBytes);
    const DeviceBuffer back = first.allocate(kBytes);
    copier->copy(here.data(), source.data(), kBytes, stream);
    copier->copy(there.data(), here.data(), kBytes, stream);
    copier->copy(back.data(), there.data(), kBytes, stream);
    CHECK(download(stream, back.data(), kBytes) == byte_ramp(kBytes, 5, 7));
    copier->copy(there.data(), back.data(), 0, stream);
    copier->synchronize(stream.ref());
  }
}

// In one call, from the host to both devices; then between them; then back from both.
void copies_go_together(Device& first, Device& second) {
  for (Device* const copier : copiers(first, second)) {
    INFO("on a stream of " << copier->name());
    const Stream stream = copier->make_stream();
    const PinnedBuffer source = pinned_ramp(*copier, 3), result = copier->allocate_pinned(kBytes);
    const DeviceBuffer here = first.allocate(kBytes), there = second.allocate(kBytes);
    const std::size_t half = kBytes / 2, rest = kBytes - half;
    const MemoryCopy out[] = {{here.data(), source.data(), half},
                              {there.data() + half, source.data() + half, rest}};
    const MemoryCopy across[] = {{there.data(), here.data(), half},
                                 {here.data() + half, there.data() + half, rest}};
    const MemoryCopy back[] = {{result.data(), there.data(), half},
                               {result.data() + half, here.data() + half, rest}};
    for (const auto& copies : {out, across, back}) copier->copy_all(std::span(copies, 2), stream);
    stream.ref().synchronize();
    CHECK(std::ranges::equal(std::span(result.data(), kBytes), byte_ramp(kBytes, 3, 7)));
  }
}

// One device fills, the other copies, and the first may overwrite only what was copied.
void copies_wait_for_events(Device& first, Device& second) {
  Device& copier = *copiers(first, second).back();
  std::latch go(1);
  const Stream filling = first.make_stream();
  const Stream copying = copier.make_stream();
  const Event filled = first.make_event();
  const Event copied = copier.make_event();
  const PinnedBuffer source = pinned_ramp(first, 9);
  const Memory from(first, second), to(second, first);
  first.enqueue(filling, [&] { go.wait(); });
  first.copy(from.data(), source.data(), kBytes, filling);
  first.record(filled, filling);
  copier.wait(copying, filled);
  copier.copy(to.data(), from.data(), kBytes, copying);
  copier.record(copied, copying);
  first.wait(filling, copied);
  first.fill_zero(from.data(), kBytes, filling);
  go.count_down();
  first.synchronize(filling.ref());
  CHECK(download(copying, to.data(), kBytes) == byte_ramp(kBytes, 9, 7));
}

// Both at once, each on a stream of its own.
void copies_cross(Device& first, Device& second) {
  const auto both = copiers(first, second);
  const Stream onward = both.front()->make_stream();
  const Stream backward = both.back()->make_stream();
  const PinnedBuffer sources[] = {pinned_ramp(*both.front(), 1), pinned_ramp(*both.back(), 2)};
  const Memory ours[] = {{first, second}, {first, second}};
  const Memory theirs[] = {{second, first}, {second, first}};
  both.front()->copy(ours[0].data(), sources[0].data(), kBytes, onward);
  both.back()->copy(theirs[1].data(), sources[1].data(), kBytes, backward);
  for (int i = 0; i < 10; ++i) {
    both.front()->copy(theirs[0].data(), ours[0].data(), kBytes, onward);
    both.back()->copy(ours[1].data(), theirs[1].data(), kBytes, backward);
    both.front()->copy(ours[0].data(), theirs[0].data(), kBytes, onward);
    both.back()->copy(theirs[1].data(), ours[1].data(), kBytes, backward);
  }
  CHECK(download(onward, ours[0].data(), kBytes) == byte_ramp(kBytes, 1, 7));
  CHECK(download(backward, theirs[1].data(), kBytes) == byte_ramp(kBytes, 2, 7));
}

void the_cpu_refuses_memory_of_gpus(Device& first, Device& second) {
  if (first.kind() == second.kind()) return;
  Device& cpu = first.kind() == DeviceKind::host ? first : second;
  Device& gpu = first.kind() == DeviceKind::host ? second : first;
  const Stream stream = cpu.make_stream();
  const DeviceBuffer memory = gpu.allocate(kBytes);
  const PinnedBuffer pinned = gpu.allocate_pinned(kBytes);
  std::vector<std::byte> bytes(kBytes);
  expect_error<DeviceError>([&] { cpu.copy(bytes.data(), memory.data() + 1, 8, stream); },
                            {"cpu: memory of cuda:0 can only be used on a stream of that GPU"});
  expect_error<DeviceError>([&] { cpu.copy(memory.data(), bytes.data(), 8, stream); },
                            {"stream of that GPU"});
  expect_error<DeviceError>([&] { cpu.fill_zero(memory.data(), 8, stream); }, {"stream of that GPU"});
  cpu.fill_zero(pinned.data(), kBytes, stream);  // it is the host's
  cpu.copy(bytes.data(), pinned.data(), kBytes, stream);
  cpu.copy(bytes.data(), memory.data(), 0, stream);
  cpu.synchronize(stream.ref());
  CHECK(bytes == std::vector<std::byte>(kBytes));
}

void each_device_takes_its_own_streams(Device& first, Device& second) {
  if (&first == &second) return;
  const Stream stream = first.make_stream();
  const PinnedBuffer memory = first.allocate_pinned(8);
  expect_error<DeviceError>([&] { second.copy(memory.data(), memory.data(), 8, stream); },
                            {second.name() + ": got a stream of " + first.name()});
  const MemoryCopy copies[] = {{memory.data(), memory.data() + 4, 2},
                               {memory.data() + 2, memory.data() + 6, 2}};
  expect_error<DeviceError>([&] { second.copy_all(copies, stream); },
                            {second.name() + ": got a stream of " + first.name()});
}

}  // namespace

std::vector<PairClause> pair_copy_clauses() {
  return {{"copies go to the other device and back", copies_go_there_and_back},
          {"several copies are enqueued together", copies_go_together},
          {"copies wait for events of the other device", copies_wait_for_events},
          {"copies go in both directions at once", copies_cross},
          {"the CPU refuses memory of GPUs", the_cpu_refuses_memory_of_gpus},
          {"a device copies on its own streams only", each_device_takes_its_own_streams}};
}

}  // namespace leat::test
