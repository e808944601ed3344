// Prefetchers, batches and streams in a process that the program forks.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <latch>
#include <optional>

#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

class Indices final : public Dataset {
 public:
  std::size_t size() const override { return 400; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    out.set("index", static_cast<std::int64_t>(index));
  }

 private:
  Schema schema_{{{"index", DType::i64, {}}}};
};

enum class InChild { destroys_all, asks_the_prefetcher, uses_the_stream };

TEST_CASE("a program's forked helper that inherits a prefetcher leaves it alone", "[process]") {
  const Indices dataset;
  for (const InChild what : {InChild::destroys_all, InChild::asks_the_prefetcher, InChild::uses_the_stream}) {
    for (const int workers : {0, 2}) {
      INFO("case " << static_cast<int>(what) << ", " << workers << " workers");
      std::optional<DataLoader> loader;
      loader.emplace(dataset, DataLoaderOptions{.batch_size = 4, .num_workers = workers});
      std::optional<Stream> stream(host_device().make_stream());
      std::optional<Prefetcher> feed;
      feed.emplace(*loader, host_device());
      std::optional<DeviceBatch> batch = feed->next(*stream);
      ChildProcess helper = ChildProcess::run([&] {
        if (what == InChild::asks_the_prefetcher)
          test::expect_error<ForkedProcessError>([&] { feed->next(*stream); }, {"another process"});
        if (what == InChild::uses_the_stream)
          test::expect_error<DeviceError>([&] { stream->ref().synchronize(); }, {"another process"});
        batch.reset();
        feed.reset();
        stream.reset();
        loader.reset();
        return 0;
      });
      std::uint64_t number = 0;
      while (batch) {
        REQUIRE(batch->number() == number++);
        batch.reset();
        batch = feed->next(*stream);
      }
      CHECK(number == 100);
      const auto status = helper.wait(5s);
      REQUIRE(status);
      CHECK(*status == 0);
    }
  }
}

TEST_CASE("a program's forked helper does not wait for events of its parent's streams", "[process]") {
  Device& device = host_device();
  std::latch go(1);
  const Stream stream = device.make_stream();
  const Event event = device.make_event();
  device.enqueue(stream, [&] { go.wait(); });
  device.record(event, stream);
  ChildProcess helper = ChildProcess::run([&] {
    const Stream own = device.make_stream();
    test::expect_error<DeviceError>([&] { device.wait(own, event); }, {"another process"});
    test::expect_error<DeviceError>([&] { device.synchronize(event.ref()); }, {"another process"});
    const Event fresh = device.make_event();
    device.record(fresh, own);
    device.synchronize(fresh.ref());
    return 0;
  });
  const auto status = helper.wait(5s);
  go.count_down();
  REQUIRE(status);
  CHECK(*status == 0);
}

TEST_CASE("a prefetcher goes on when its loader is moved, and so does a loop over a moved prefetcher") {
  const Indices dataset;
  DataLoader loader(dataset, {.batch_size = 4});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device());
  const DataLoader elsewhere(std::move(loader));
  std::optional<Prefetcher> moved;
  std::uint64_t number = 0;
  for (DeviceBatch& batch : feed.epoch(0, stream)) {
    REQUIRE(batch.number() == number++);
    if (number == 30) moved.emplace(std::move(feed));
  }
  CHECK(number == 100);
  test::expect_error<ArgumentError>([&] { feed.next(stream); }, {"moved from"});
}

TEST_CASE("a loop over a prefetcher with an error handler goes on behind each lost batch") {
  class Broken final : public Dataset {
   public:
    std::size_t size() const override { return 12; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t index, Rng&, SampleWriter& out) const override {
      if (index == 5) throw DataError("five", "is broken");
      out.set("index", static_cast<std::int64_t>(index));
    }

   private:
    Schema schema_{{{"index", DType::i64, {}}}};
  };
  const Broken dataset;
  DataLoader loader(dataset, {.batch_size = 2});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device());
  std::vector<std::uint64_t> numbers, lost;
  for (DeviceBatch& batch :
       feed.epoch(0, stream, [&](const SampleError& error) { lost.push_back(error.batch()); })) {
    numbers.push_back(batch.number());
  }
  CHECK(numbers == std::vector<std::uint64_t>{0, 1, 3, 4, 5});
  CHECK(lost == std::vector<std::uint64_t>{2});
}

}  // namespace
}  // namespace leat
