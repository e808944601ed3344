// Where a prefetcher keeps the slots and its thread when its devices tell their NUMA nodes.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "leat/datasets/base/memory_limits.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/os/numa.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/memory_policy.h"
#include "tests/transfer/support/pump_thread.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"
#include "tests/transfer/support/shared_memory.h"

using namespace leat;
using namespace leat::detail;

using test::kDefaultPolicy;
using test::MemoryPolicy;
using test::policy_of;
using test::preferring;
using test::ScriptedDevice;
using test::ScriptedSource;

namespace {

using Cpus = std::vector<int>;

// A scripted source that says its slots were in shared memory, as those of a loader are.
struct SharedSource {
  ScriptedSource scripted{{}};
  test::SharedMemory memory{4 * page_size()};

  BatchSource source() {
    BatchSource source = scripted.source();
    source.memory = {memory.bytes()};
    return source;
  }
  std::set<int> modes() const {
    std::set<int> modes;
    for (std::size_t page = 0; page < 4; ++page)
      modes.insert(policy_of(&memory.bytes()[page * page_size()]).value().mode);
    return modes;
  }
  std::optional<MemoryPolicy> policy() const {
    return modes().size() == 1 ? policy_of(memory.bytes().data()) : std::nullopt;
  }
};

// The policy of the slots that a prefetcher for devices of these nodes leaves behind.
std::optional<MemoryPolicy> policy_with(const std::vector<std::optional<int>>& nodes) {
  SharedSource shared;
  std::vector<ScriptedDevice> devices(nodes.size());
  std::vector<std::reference_wrapper<Device>> list;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    devices[i].node = nodes[i];
    list.emplace_back(devices[i]);
  }
  const Prefetcher feed(shared.source(), list);
  return shared.policy();
}

std::size_t count_batches(Prefetcher& feed, StreamRef stream) {
  std::size_t batches = 0;
  for (const DeviceBatch& batch : feed.epoch(0, stream)) {
    CHECK(batch.number() == batches);
    ++batches;
  }
  return batches;
}

// Runs a test on a thread that may use these CPUs, as may what it starts.
template <class Body>
void restricted_to(const Cpus& cpus, Body body) {
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      set_affinity(cpus);
      body();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Image k holds k in every byte.
class PageDataset final : public Dataset {
 public:
  std::size_t size() const override { return 40; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    std::ranges::fill(out.values<std::uint8_t>("image"), static_cast<std::uint8_t>(index));
  }

 private:
  Schema schema_{{{"image", DType::u8, {64, 64}}}};
};

void check_slots_of_loader(WorkerKind kind) {
  const PageDataset dataset;
  DataLoader loader(dataset, {.batch_size = 8, .num_workers = 2, .worker_kind = kind});
  ScriptedDevice first, second;
  for (ScriptedDevice* device : {&first, &second}) {
    device->node = 0;
    device->go_free();
  }
  const std::array<Stream, 2> owned{first.make_stream(), second.make_stream()};
  const std::array<StreamRef, 2> streams{owned[0], owned[1]};
  const std::span<std::byte> slots = BatchSource::of(loader).memory.front();
  Prefetcher feed(loader, {first, second});
  if (test::has_memory_policies()) {
    CHECK(policy_of(slots.data()) == preferring(0));
    CHECK(policy_of(&slots.back()) == preferring(0));
  }
  std::uint64_t index = 0;
  for (const std::vector<DeviceBatch>& parts : feed.epoch(0, streams)) {
    for (const DeviceBatch& part : parts) {
      const auto pixels = part["image"].as<std::uint8_t>();
      for (std::size_t row = 0; row < part.size(); ++row, ++index)
        CHECK(std::ranges::count(pixels.subspan(row * 4096, 4096), static_cast<std::uint8_t>(index)) == 4096);
    }
  }
  CHECK(index == 40);
}

}  // namespace

TEST_CASE("the slots are kept on the device's NUMA node before they are page-locked") {
  if (!test::has_memory_policies()) return;
  SharedSource shared;
  ScriptedDevice device;
  device.node = 0;
  std::optional<MemoryPolicy> when_locked;
  device.on_pin = [&](std::span<const std::byte> memory) { when_locked = policy_of(memory.data()); };
  REQUIRE(shared.policy() == kDefaultPolicy);
  const Prefetcher feed(shared.source(), device);
  CHECK(when_locked == preferring(0));
  CHECK(shared.policy() == preferring(0));
  CHECK(device.pinned_bytes() == shared.memory.bytes().size());
}

TEST_CASE("the slots stay where they are unless all devices tell the same NUMA node") {
  if (!test::has_memory_policies()) return;
  CHECK(policy_with({std::nullopt}) == kDefaultPolicy);
  CHECK(policy_with({0, 0}) == preferring(0));
  CHECK(policy_with({0, 1}) == kDefaultPolicy);
  CHECK(policy_with({1, 0}) == kDefaultPolicy);
  CHECK(policy_with({0, std::nullopt}) == kDefaultPolicy);
  CHECK(policy_with({std::nullopt, 0}) == kDefaultPolicy);
  CHECK(policy_with({0, 0, 0, 1}) == kDefaultPolicy);
}

TEST_CASE("a device that only holds a field counts for the NUMA node, too") {
  if (!test::has_memory_policies()) return;
  for (const std::optional<int> node : {std::optional(0), std::optional(1), std::optional<int>()}) {
    SharedSource shared;
    ScriptedDevice device, other;
    device.node = 0;
    other.node = node;
    const Prefetcher feed(shared.source(), device, {.placements = {{"label", &other}}});
    CHECK(shared.policy() == (node == 0 ? preferring(0) : kDefaultPolicy));
  }
}

TEST_CASE("a NUMA node that the machine does not have changes nothing, and batches arrive") {
  const Cpus all = affinity_mask();
  for (const int node : {1023, 1024, -1}) {
    INFO(node);
    SharedSource shared;
    ScriptedDevice device;
    device.node = node;
    device.go_free();
    const Stream stream = device.make_stream();
    Prefetcher feed(shared.source(), device);
    CHECK(count_batches(feed, stream) == 3);
    CHECK(test::cpus_of_pump() == all);
    if (test::has_memory_policies()) CHECK(shared.policy() == kDefaultPolicy);
  }
}

TEST_CASE("a prefetcher's thread keeps to the CPUs of its device's NUMA node, its caller does not") {
  const Cpus all = affinity_mask(), of_node = cpus_of_node(0);
  Cpus expected;
  std::ranges::set_intersection(all, of_node, std::back_inserter(expected));
  if (expected.empty()) expected = all;
  SharedSource shared;
  ScriptedDevice device;
  device.node = 0;
  std::mutex mutex;
  std::set<Cpus> in_copies;
  device.on_copy = [&] {
    const std::lock_guard lock(mutex);
    in_copies.insert(affinity_mask());
  };
  device.go_free();
  const Stream stream = device.make_stream();
  Prefetcher feed(shared.source(), device);
  CHECK(count_batches(feed, stream) == 3);
  CHECK(in_copies == std::set<Cpus>{expected});
  CHECK(test::cpus_of_pump() == expected);
  CHECK(affinity_mask() == all);
}

TEST_CASE("a prefetcher's thread uses no CPU that its process was not allowed to use") {
  for (const int cpu : {affinity_mask().front(), affinity_mask().back()}) {
    for (const std::optional<int> node : {std::optional(0), std::optional(1), std::optional<int>()}) {
      restricted_to({cpu}, [&] {
        SharedSource shared;
        std::set<Cpus> seen;  // by the prefetcher's thread, and by the test once that has delivered all
        BatchSource source = shared.source();
        source.next = [&seen, next = source.next] {
          seen.insert(affinity_mask());
          return next();
        };
        ScriptedDevice device;
        device.node = node;
        device.on_copy = [&] { seen.insert(affinity_mask()); };
        device.go_free();
        const Stream stream = device.make_stream();
        Prefetcher feed(std::move(source), device);
        CHECK(count_batches(feed, stream) == 3);
        CHECK(test::cpus_of_pump() == Cpus{cpu});
        CHECK(seen == std::set<Cpus>{{cpu}});
      });
    }
  }
}

TEST_CASE("the slots of a loader are kept on the device's NUMA node, with worker threads") {
  check_slots_of_loader(WorkerKind::threads);
}
TEST_CASE("the slots of a loader are kept on the device's NUMA node, with worker processes", "[process]") {
  check_slots_of_loader(WorkerKind::processes);
}

TEST_CASE("slots stay on a NUMA node when a prefetcher follows whose device tells none") {
  if (!test::has_memory_policies()) return;
  SharedSource shared;
  ScriptedDevice with, without;
  with.node = 0;
  { const Prefetcher feed(shared.source(), without); }
  CHECK(shared.policy() == kDefaultPolicy);
  { const Prefetcher feed(shared.source(), with); }
  CHECK(shared.policy() == preferring(0));
  { const Prefetcher feed(shared.source(), without); }
  CHECK(shared.policy() == preferring(0));  // it stays
}
