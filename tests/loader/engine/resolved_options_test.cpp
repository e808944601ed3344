// Options that change what a loop sees, beside order and bytes.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/os/cpus.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::check_rows;
using test::expect_error;

LEAT_LOADER_TEST(unbatched, "6: without batching, samples come one by one, and have no batch dimension") {
  const ArithmeticDataset dataset(20);
  auto options = workers.with({.batch_size = std::nullopt});
  DataLoader loader(dataset, options);
  CHECK(loader.size() == 20);
  std::uint64_t index = 0;
  for (const HostBatch& sample : loader.epoch(0)) {
    CHECK(sample["values"].shape == Shape{5});
    CHECK(sample["label"].shape.empty());
    CHECK(sample["label"].as<std::int64_t>()[0] == static_cast<std::int64_t>(index * index));
    CHECK(sample.indices()[0] == index);
    ++index;
  }
  CHECK(index == 20);
}

LEAT_LOADER_TEST(collates, "28: collate_fn works on whole batches, and what it throws reaches the caller") {
  const ArithmeticDataset dataset(12);
  auto options = workers.with({.batch_size = 4});
  options.collate_fn = [](HostBatch& batch) {
    if (batch.number() == 1) throw std::runtime_error("cannot mix");
    for (std::int64_t& label : batch["label"].as<std::int64_t>()) label = -label;
  };
  DataLoader loader(dataset, options);
  CHECK(loader.next()->operator[]("label").as<std::int64_t>()[3] == -9);
  expect_error<std::runtime_error>([&] { loader.next(); }, {"cannot mix"});
  CHECK(loader.next()->operator[]("label").as<std::int64_t>()[3] == -121);
  CHECK_FALSE(loader.next());
}

// What get() writes is the value that the dataset had when the worker was forked.
class Changing final : public Dataset {
 public:
  std::int32_t value = 0;
  std::size_t size() const override { return 8; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t, Rng&, SampleWriter& out) const override { out.set(0, value); }

 private:
  Schema schema_{{{"value", DType::i32, {}}}};
};

std::set<std::int32_t> values_of_epoch(DataLoader& loader) {
  std::set<std::int32_t> values;
  while (const auto batch = loader.next()) {
    for (const std::int32_t value : (*batch)["value"].as<std::int32_t>()) values.insert(value);
  }
  return values;
}

TEST_CASE("32: persistent workers survive epochs with what they hold", "[process]") {
  Changing dataset;
  DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});
  const std::vector<int> pids = loader.worker_pids();
  for (dataset.value = 0; dataset.value < 3; ++dataset.value) {
    CHECK(values_of_epoch(loader) == std::set<std::int32_t>{0});
    CHECK(loader.worker_pids() == pids);
  }
}

TEST_CASE("32: workers that do not persist know the dataset as it is when their epoch begins", "[process]") {
  Changing dataset;
  DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2, .persistent_workers = false});
  std::set<int> pids;
  for (dataset.value = 0; dataset.value < 4; ++dataset.value) {
    if (dataset.value == 2) loader.next();  // an epoch that is left early
    if (dataset.value > 0) loader.start_epoch(static_cast<std::uint64_t>(dataset.value));
    CHECK(values_of_epoch(loader) == std::set<std::int32_t>{dataset.value});
    for (const int pid : loader.worker_pids()) pids.insert(pid);
  }
  CHECK(pids.size() == 8);
}

TEST_CASE("36: the affinity that worker_init_fn sets holds", "[process]") {
  class Affine final : public Dataset {
   public:
    std::size_t size() const override { return 8; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override {
      const std::vector<int> cpus = affinity_mask();
      out.set(0, static_cast<std::int32_t>(cpus.size()));
      out.set(1, static_cast<std::int32_t>(cpus.front()));
    }

   private:
    Schema schema_{{{"cpus", DType::i32, {}}, {"first", DType::i32, {}}}};
  };
  const int last = affinity_mask().back();
  const Affine dataset;
  DataLoader loader(
      dataset, {.batch_size = 2, .num_workers = 2, .worker_init_fn = [last](int) { set_affinity({last}); }});
  while (const auto batch = loader.next()) {
    CHECK((*batch)["cpus"].as<std::int32_t>()[0] == 1);
    CHECK((*batch)["first"].as<std::int32_t>()[0] == last);
  }
}

TEST_CASE("37: other threads at the time of the fork are warned of once, or refused where asked for",
          "[process]") {
  ChildProcess application = ChildProcess::run([] {
    const ArithmeticDataset dataset(20);
    int warnings = 0;
    const DataLoaderOptions options{
        .batch_size = 2, .num_workers = 1, .on_warning = [&](const std::string& text) {
          warnings += text.find("threads") != std::string::npos ? 1 : 0;
        }};
    const auto load = [&](bool strict) {
      auto changed = options;
      changed.strict_fork = strict;
      DataLoader loader(dataset, changed);
      int batches = 0;
      while (loader.next()) ++batches;
      return batches;
    };
    if (load(true) != 10 || warnings != 0) return 1;  // no other thread: nothing to say
    std::atomic<bool> end{false};
    const std::jthread thread([&] { end.wait(false); });
    int result = load(false) == 10 && load(false) == 10 && warnings == 1 ? 0 : 2;
    try {
      load(true);
      result = 3;
    } catch (const ArgumentError& error) {
      if (std::string(error.what()).find("strict_fork") == std::string::npos) result = 4;
    }
    end.store(true);
    end.notify_all();
    return result;
  });
  CHECK(application.wait() == 0);
}

LEAT_LOADER_TEST(size_throws, "a dataset that throws in size() is the caller's error") {
  class Sizeless final : public ArithmeticDataset {
   public:
    Sizeless() : ArithmeticDataset(8) {}
    std::size_t size() const override {
      if (broken) throw DataError("index.bin", "is gone");
      return ArithmeticDataset::size();
    }
    bool broken = false;
  };
  Sizeless dataset;
  DataLoader loader(dataset, workers.with({.batch_size = 4}));
  DataLoader fresh(dataset, workers.with({.batch_size = 4}));
  CHECK(loader.next());
  dataset.broken = true;
  expect_error<DataError>([&] { loader.start_epoch(3); }, {"index.bin"});
  expect_error<DataError>([&] { fresh.size(); }, {"index.bin"});
  CHECK(loader.size() == 2);  // of the epoch that goes on
  dataset.broken = false;
  loader.start_epoch(3);
  CHECK(loader.next()->epoch() == 3);
}

TEST_CASE("34, 52: a program that ends in mid-epoch ends at once and in order", "[process]") {
  ChildProcess application = ChildProcess::run([] {
    static const ArithmeticDataset dataset(1000);
    static DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});  // destroyed by exit()
    for (int batch = 0; batch < 11; ++batch) loader.next();
    std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    return 1;
  });
  CHECK(application.wait() == 0);
  ChildProcess failing = ChildProcess::run([] {
    try {
      const ArithmeticDataset dataset(1000);
      DataLoader loader(dataset, {.batch_size = 2, .num_workers = 2});
      const auto held = loader.next();
      throw std::runtime_error("the training failed");
    } catch (const std::runtime_error&) {
      return 0;
    }
  });
  CHECK(failing.wait() == 0);
}

}  // namespace
}  // namespace leat
