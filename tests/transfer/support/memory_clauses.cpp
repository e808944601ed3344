#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/shared_memory.h"

namespace leat::test {
namespace {

void allocations_are_aligned(Device& device) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{255}, std::size_t{4097}}) {
    const DeviceBuffer buffer = device.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256 == 0);
    CHECK(buffer.size() == bytes);
  }
  CHECK(device.allocate(0).size() == 0);
}

void buffers_move(Device& device) {
  DeviceBuffer first = device.allocate(16);
  std::byte* const data = first.data();
  DeviceBuffer second = std::move(first);
  CHECK(second.data() == data);
  CHECK(first.data() == nullptr);
  DeviceBuffer third;
  third = std::move(second);
  CHECK(third.data() == data);
  CHECK(third.size() == 16);
}

void copies_go_everywhere(Device& device) {
  const Stream stream = device.make_stream();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1021}, std::size_t{1} << 20}) {
    INFO(bytes << " bytes");
    const auto source = byte_ramp(bytes, 3, 7);
    const DeviceBuffer first = device.allocate(bytes);
    const DeviceBuffer second = device.allocate(bytes);
    device.copy(first.data(), source.data(), bytes, stream);
    device.copy(second.data(), first.data(), bytes, stream);
    CHECK(download(stream, second.data(), bytes) == source);
  }
}

// Its own stream, and the default one if it has one.
void with_each_stream(Device& device, const std::function<void(StreamRef)>& check) {
  const Stream own = device.make_stream();
  check(own);
  if (device.default_stream() != nullptr) check(StreamRef(device, nullptr));
}

// Of host memory that is page-locked, host memory that is not, and device memory, on every side.
void copies_go_together(Device& device) {
  with_each_stream(device, [&](StreamRef stream) {
    const auto ramp = byte_ramp(3000, 11, 7);
    auto pageable = ramp;
    const PinnedBuffer pinned = device.allocate_pinned(3000), back = device.allocate_pinned(3000);
    const DeviceBuffer from = device.allocate(3000), to = device.allocate(3000);
    std::ranges::copy(ramp, pinned.data());
    device.fill_zero(from.data(), 3000, stream);  // which comes before all of them
    const MemoryCopy there[] = {{from.data(), pinned.data(), 1},
                                {from.data() + 1, pageable.data() + 1, 998},
                                {from.data() + 999, pinned.data() + 999, 0},
                                {from.data() + 999, pinned.data() + 999, 2001}};
    device.copy_all(there, stream);
    const MemoryCopy onward[] = {{to.data() + 1501, from.data() + 1501, 1499},
                                 {to.data(), from.data(), 1501}};
    device.copy_all(onward, stream);
    const MemoryCopy home[] = {{back.data(), to.data(), 2000}, {back.data() + 2000, to.data() + 2000, 1000}};
    device.copy_all(home, stream);
    device.fill_zero(to.data(), 3000, stream);  // and this behind them
    stream.synchronize();
    CHECK(std::equal(ramp.begin(), ramp.end(), back.data()));
  });
}

void nothing_is_copied(Device& device) {
  with_each_stream(device, [&](StreamRef stream) {
    const DeviceBuffer memory = device.allocate(10);
    const auto ramp = byte_ramp(10, 1);
    device.copy(memory.data(), ramp.data(), 10, stream);
    device.copy_all({}, stream);
    const MemoryCopy empty[] = {{}, {memory.data(), nullptr, 0}, {nullptr, memory.data(), 0}};
    device.copy_all(empty, stream);
    device.copy_all(std::span(empty, 1), stream);
    CHECK(download(stream, memory.data(), 10) == ramp);
  });
}

void fills_with_zeros(Device& device) {
  const Stream stream = device.make_stream();
  const auto source = byte_ramp(1000, 1);  // the copy may still read it when `expected` is written
  auto expected = source;
  const DeviceBuffer buffer = device.allocate(source.size());
  device.copy(buffer.data(), source.data(), source.size(), stream);
  device.fill_zero(buffer.data() + 3, 517, stream);
  std::fill_n(expected.begin() + 3, 517, std::byte{0});
  CHECK(download(stream, buffer.data(), expected.size()) == expected);
}

void copies_from_pinned_memory(Device& device) {
  const Stream stream = device.make_stream();
  const SharedMemory memory(1 << 16);
  {
    const PinnedRegion pinned = device.pin(memory.bytes());
    CHECK(static_cast<bool>(pinned));
    const auto source = byte_ramp(memory.bytes().size(), 5, 3);
    std::copy(source.begin(), source.end(), memory.bytes().begin());
    const DeviceBuffer buffer = device.allocate(source.size());
    device.copy(buffer.data(), memory.bytes().data(), source.size(), stream);
    CHECK(download(stream, buffer.data(), source.size()) == source);
  }
  const PinnedRegion again = device.pin(memory.bytes());  // so it had been released
  CHECK(static_cast<bool>(again));
}

void pinned_memory_is_the_hosts(Device& device) {
  const Stream stream = device.make_stream();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
    INFO(bytes << " bytes");
    const PinnedBuffer pinned = device.allocate_pinned(bytes);
    CHECK(pinned.size() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(pinned.data()) % 256 == 0);
    const auto source = byte_ramp(bytes, 7, 13);
    std::copy(source.begin(), source.end(), pinned.data());
    const DeviceBuffer buffer = device.allocate(bytes);
    device.copy(buffer.data(), pinned.data(), bytes, stream);
    device.synchronize(stream.ref());
    std::fill_n(pinned.data(), bytes, std::byte{0});
    device.copy(pinned.data(), buffer.data(), bytes, stream);
    device.synchronize(stream.ref());
    CHECK(std::equal(source.begin(), source.end(), pinned.data()));
  }
}

// The way of a batch: a forked child writes a slot, and the device reads it where it lies.
void copies_what_a_child_wrote(Device& device) {
  const SharedMemory memory(1 << 16);
  const auto source = byte_ramp(memory.bytes().size(), 9, 11);
  const PinnedRegion pinned = device.pin(memory.bytes());
  run_in_child([&] { std::copy(source.begin(), source.end(), memory.bytes().begin()); });
  const Stream stream = device.make_stream();
  const DeviceBuffer buffer = device.allocate(source.size());
  device.copy(buffer.data(), memory.bytes().data(), source.size(), stream);
  CHECK(download(stream, buffer.data(), source.size()) == source);
}

}  // namespace

std::vector<Clause> memory_clauses() {
  return {{"allocations are aligned to 256 bytes", allocations_are_aligned},
          {"buffers move", buffers_move},
          {"copies go to the device, within it and back", copies_go_everywhere},
          {"several copies are enqueued together", copies_go_together},
          {"several copies of nothing do nothing", nothing_is_copied},
          {"memory is filled with zeros", fills_with_zeros},
          {"shared memory is page-locked and copied from", copies_from_pinned_memory},
          {"page-locked memory is allocated, and copied from and to", pinned_memory_is_the_hosts},
          {"page-locked memory shows what a forked child wrote", copies_what_a_child_wrote}};
}

}  // namespace leat::test
