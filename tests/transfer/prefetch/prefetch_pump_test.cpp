// On which CPUs the thread of a prefetcher does what.
#include "leat/transfer/prefetch/prefetch_pump.h"

#include <catch2/catch_test_macros.hpp>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/cpus.h"
#include "tests/transfer/support/pump_thread.h"
#include "tests/transfer/support/scripted_device.h"
#include "tests/transfer/support/scripted_source.h"

using namespace leat;
using namespace leat::detail;

using test::ScriptedDevice;
using test::ScriptedSource;

namespace {

using Cpus = std::vector<int>;
using Kind = PrefetchSchedule::Delivery::Kind;

// Sets of CPUs that threads have been seen with.
class Seen {
 public:
  void note() { note(affinity_mask()); }
  void note(const Cpus& cpus) {
    const std::lock_guard lock(mutex_);
    seen_.insert(cpus);
  }
  std::set<Cpus> cpus() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<Cpus> seen_;
};

// A pump that is restricted to some CPUs, with a device on which everything runs at once.
class RestrictedPump {
 public:
  RestrictedPump(BatchSource source, const Cpus& cpus)
      : pool_(BatchPool::make(BatchDivision(source.layout, {&device_}, PrefetcherOptions()), 2)) {
    device_.on_copy = [this] { in_copies_.note(); };
    device_.go_free();
    pump_.emplace(std::move(source), pinned_, pool_, cpus);
  }

  // Takes all batches of an epoch; returns their number, errors included.
  std::size_t run_epoch(std::uint64_t epoch) {
    const Stream stream = device_.make_stream();
    pool_->start_epoch(epoch);
    for (std::size_t batches = 0;; ++batches) {
      const PrefetchSchedule::Delivery delivery = pool_->take();
      if (delivery.kind == Kind::end) return batches;
      if (delivery.kind == Kind::batch) pool_->release(delivery.buffer, 0, stream);
    }
  }
  std::set<Cpus> in_copies() const { return in_copies_.cpus(); }

 private:
  ScriptedDevice device_;
  Seen in_copies_;
  std::shared_ptr<BatchPool> pool_;
  const PinnedMemory pinned_;  // none
  std::optional<PrefetchPump> pump_;
};

// The number of CPUs that its worker may use is the content of each sample.
class CpuDataset final : public Dataset {
 public:
  std::size_t size() const override { return 24; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t, Rng&, SampleWriter& out) const override {
    out.set("cpus", static_cast<std::int64_t>(affinity_mask().size()));
  }

 private:
  Schema schema_{{{"cpus", DType::i64, {}}}};
};

// The CPUs of this process; none, which skips the test, if there is only one.
Cpus several_cpus() {
  const Cpus all = affinity_mask();
  if (all.size() > 1) return all;
  std::cout << "SKIPPED: this process may use one CPU only\n";
  return {};
}

// Epoch after epoch, the loader's workers start anew while the pump calls the loader.
void check_workers_use_every_cpu(DataLoaderOptions options) {
  const Cpus all = several_cpus();
  if (all.empty()) return;
  const CpuDataset dataset;
  options.batch_size = 4;
  DataLoader loader(dataset, options);
  BatchSource source = BatchSource::of(loader);
  std::set<std::int64_t> counts;  // read by the test once the pump has delivered all
  source.next = [&, next = source.next] {
    std::optional<HostBatch> batch = next();
    if (batch)
      for (const std::int64_t count : (*batch)["cpus"].as<std::int64_t>()) counts.insert(count);
    return batch;
  };
  RestrictedPump pump(std::move(source), {all.back()});
  for (const std::uint64_t epoch : {0, 1, 2}) CHECK(pump.run_epoch(epoch) == 6);
  CHECK(counts == std::set{static_cast<std::int64_t>(all.size())});
  CHECK(pump.in_copies() == std::set<Cpus>{{all.back()}});
}

}  // namespace

TEST_CASE("a restricted pump copies on its own CPUs, and calls the source on all") {
  const Cpus all = several_cpus();
  if (all.empty()) return;
  ScriptedSource scripted({.batches = 5});
  BatchSource source = scripted.source();
  Seen in_source, in_threads;
  const auto look = [&] {
    in_source.note();
    std::thread([&] { in_threads.note(); }).join();
  };
  source.next = [&, next = source.next] {
    look();
    return next();
  };
  source.start_epoch = [&, start = source.start_epoch](std::uint64_t epoch) {
    look();
    start(epoch);
  };
  const Cpus own{all.back()};
  RestrictedPump pump(std::move(source), own);
  for (const std::uint64_t epoch : {0, 1}) {
    CHECK(pump.run_epoch(epoch) == 5);
    CHECK(test::cpus_of_pump() == own);
  }
  CHECK(pump.in_copies() == std::set<Cpus>{own});
  CHECK(in_source.cpus() == std::set<Cpus>{all});
  CHECK(in_threads.cpus() == std::set<Cpus>{all});
  CHECK(affinity_mask() == all);
}

TEST_CASE("a pump that may use every CPU is restricted nowhere") {
  const Cpus all = several_cpus();
  for (const Cpus& cpus : {Cpus{}, all, Cpus{65535}}) {
    ScriptedSource scripted({});
    RestrictedPump pump(scripted.source(), cpus);
    CHECK(pump.run_epoch(0) == 3);
    CHECK(pump.in_copies() == std::set<Cpus>{affinity_mask()});
    CHECK(test::cpus_of_pump() == affinity_mask());
  }
}

TEST_CASE("a pump is restricted again after an error of its source") {
  const Cpus all = several_cpus();
  if (all.empty()) return;
  ScriptedSource scripted({.batches = 4});
  const SampleError broken(1, {.index = 5, .source = "five", .type = "E", .text = "broken", .worker = 0});
  scripted.fail(0, 1, std::make_exception_ptr(broken));
  RestrictedPump pump(scripted.source(), {all.front()});
  CHECK(pump.run_epoch(0) == 4);
  CHECK(pump.in_copies() == std::set<Cpus>{{all.front()}});
  CHECK(test::cpus_of_pump() == Cpus{all.front()});
}

TEST_CASE("a loader without workers loads on every CPU though it feeds a restricted pump") {
  check_workers_use_every_cpu({.num_workers = 0});
}
TEST_CASE("worker threads that start while a restricted pump begins an epoch may use every CPU") {
  check_workers_use_every_cpu(
      {.num_workers = 2, .worker_kind = WorkerKind::threads, .persistent_workers = false});
}
TEST_CASE("worker processes that start while a restricted pump begins an epoch may use every CPU",
          "[process]") {
  check_workers_use_every_cpu({.num_workers = 2, .persistent_workers = false});
}
