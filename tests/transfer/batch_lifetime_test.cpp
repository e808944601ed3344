// Batches that outlive what they came from.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <thread>

#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

class Sevens final : public Dataset {
 public:
  std::size_t size() const override { return 16; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t, Rng&, SampleWriter& out) const override { out.set("x", std::int64_t{7}); }

 private:
  Schema schema_{{{"x", DType::i64, {}}}};
};

TEST_CASE("the last batch keeps its memory until its consumer's stream has read it") {
  const Sevens dataset;
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<bool> destroyed{false}, destroyed_before_read{false};
  std::atomic<std::int64_t> read{0};
  const Stream stream = host_device().make_stream();
  DataLoader loader(dataset, {.batch_size = 4});
  std::optional<DeviceBatch> batch;
  {
    Prefetcher feed(loader, host_device());
    batch = feed.next(stream);
    feed.next(stream);
  }
  const auto* const data = static_cast<const std::int64_t*>((*batch)["x"].data);
  host_device().enqueue(stream, [&, open] {
    open.wait();
    destroyed_before_read = destroyed.load();
    read = *data;
  });
  std::jthread destroyer([&] {
    batch.reset();
    destroyed = true;
  });
  const auto deadline = std::chrono::steady_clock::now() + 200ms;
  while (!destroyed && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK_FALSE(destroyed.load());
  gate.set_value();
  destroyer.join();
  stream.ref().synchronize();
  CHECK_FALSE(destroyed_before_read.load());
  CHECK(read.load() == 7);
}

TEST_CASE("work on a stream of the CPU may hold the last share of a batch") {
  const Sevens dataset;
  std::latch feed_is_gone(1);
  std::atomic<std::int64_t> read{0};
  const Stream stream = host_device().make_stream();
  DataLoader loader(dataset, {.batch_size = 4});
  {
    Prefetcher feed(loader, host_device());
    const auto batch = std::make_shared<DeviceBatch>(*feed.next(stream));
    const auto* const data = static_cast<const std::int64_t*>((*batch)["x"].data);
    host_device().enqueue(stream, [&feed_is_gone, batch] { feed_is_gone.wait(); });
    host_device().enqueue(stream, [&read, data] { read = *data; });
  }
  feed_is_gone.count_down();
  stream.ref().synchronize();
  CHECK(read.load() == 7);  // ASan tells whether the memory was still there
}

TEST_CASE("a batch whose stream was destroyed before it is an error of the prefetcher, and no wait") {
  const Sevens dataset;
  DataLoader loader(dataset, {.batch_size = 4});
  Prefetcher feed(loader, host_device());
  const Stream other = host_device().make_stream();
  {
    std::optional<DeviceBatch> batch;
    const Stream stream = host_device().make_stream();
    batch = feed.next(stream);
    // Members are destroyed in reverse order: the stream goes first.
  }
  test::expect_error<DeviceError>(
      [&] {
        while (feed.next(other)) {
        }
      },
      {"destroyed", "outlive"});
}

}  // namespace
}  // namespace leat
