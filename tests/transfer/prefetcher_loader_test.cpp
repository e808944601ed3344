// The prefetcher over a real DataLoader: inline, with worker threads, with worker processes, and onto a GPU.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <iostream>
#include <limits>

#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_contract.h"

using namespace leat;
using namespace leat::detail;

using test::expect_error;

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Byte i of image k is 5 k + i; `id` is k. Sample `broken` throws, sample `fatal` ends its worker.
class CountingDataset final : public Dataset {
 public:
  std::size_t samples = 100;
  std::size_t broken = kNone;
  std::size_t fatal = kNone;

  std::size_t size() const override { return samples; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    if (index == broken) throw DataError("image", "broken");
    if (index == fatal) ::_exit(7);
    const auto image = out.values<std::uint8_t>("image");
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(5 * index + i);
    out.set("id", static_cast<std::int64_t>(index));
  }

 private:
  Schema schema_{{{"image", DType::u8, {4, 4, 3}}, {"id", DType::i64, {}}}};
};

Normalization plain_floats() {
  Normalization how;
  how.layout = PixelLayout::nhwc;
  return how;
}

PrefetcherOptions with_floats() {
  return {.normalize = {{"image", "float", plain_floats()}}};
}

// The batch holds what the dataset says, raw and normalized.
void check_batch(const DeviceBatch& batch, std::uint64_t first) {
  const auto bytes = test::download(batch.stream(), batch["image"].data, batch["image"].bytes());
  const auto ids = test::download(batch.stream(), batch["id"].data, batch["id"].bytes());
  const auto floats = test::download(batch.stream(), batch["float"].data, batch["float"].bytes());
  REQUIRE(ids.size() == batch.size() * sizeof(std::int64_t));
  const float scale = plain_floats().scale()[0];
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const std::uint64_t index = first + row;
    std::int64_t id = 0;
    std::memcpy(&id, &ids[row * sizeof id], sizeof id);
    if (batch.indices()[row] != index || id != static_cast<std::int64_t>(index)) ++wrong;
    for (std::size_t i = 0; i < 48; ++i) {
      const auto pixel = static_cast<std::uint8_t>(5 * index + i);
      float value = 0;
      std::memcpy(&value, &floats[(row * 48 + i) * sizeof value], sizeof value);
      if (bytes[row * 48 + i] != std::byte{pixel} || value != static_cast<float>(pixel) * scale) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

void check_epochs(Device& device, const DataLoaderOptions& options) {
  const CountingDataset dataset;
  DataLoader loader(dataset, options);
  const Stream stream = device.make_stream();
  Prefetcher feed(loader, device, with_floats());
  for (const std::uint64_t epoch : {0, 1, 5}) {
    std::uint64_t number = 0;
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
      CHECK(batch.epoch() == epoch);
      CHECK(batch.number() == number);
      CHECK(batch.size() == (number == 14 ? 2 : 7));
      check_batch(batch, 7 * number++);
    }
    CHECK(number == 15);
  }
}

void check_errors_in_place(const DataLoaderOptions& options) {
  CountingDataset dataset;
  dataset.broken = 17;  // in batch 2
  DataLoader loader(dataset, options);
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device(), with_floats());
  for (std::uint64_t number = 0; number < 15; ++number) {
    if (number == 2) {
      expect_error<SampleError>([&] { feed.next(stream); }, {"17", "broken"});
    } else {
      check_batch(feed.next(stream).value(), 7 * number);
    }
  }
  CHECK_FALSE(feed.next(stream).has_value());
  check_batch(feed.next(stream).value(), 0);
}

void check_abandoned(const DataLoaderOptions& options) {
  const CountingDataset dataset;
  const Stream stream = host_device().make_stream();
  for (int consumed = 0; consumed < 4; ++consumed) {
    DataLoader loader(dataset, options);
    Prefetcher feed(loader, host_device(), with_floats());
    for (const std::uint64_t epoch : {2, 3}) {
      feed.start_epoch(epoch);
      for (int i = 0; i < consumed; ++i) {
        const auto batch = feed.next(stream).value();
        CHECK(batch.epoch() == epoch);
        check_batch(batch, 7 * static_cast<std::uint64_t>(i));
      }
    }
  }
}

DataLoaderOptions inline_loading() {
  DataLoaderOptions options;
  options.batch_size = 7;
  return options;
}

DataLoaderOptions threads() {
  DataLoaderOptions options = inline_loading();
  options.num_workers = 2;
  options.worker_kind = WorkerKind::threads;
  return options;
}

DataLoaderOptions processes() {
  DataLoaderOptions options = inline_loading();
  options.num_workers = 2;
  return options;
}

bool without_gpu() {
  if (cuda_device_count() == 0) std::cout << "SKIPPED: " << cuda_unavailable_reason() << "\n";
  return cuda_device_count() == 0;
}

}  // namespace

TEST_CASE("72: the state that comes with a batch goes on behind it, however far was prefetched",
          "[process]") {
  const CountingDataset dataset;
  const Stream stream = host_device().make_stream();
  for (std::uint64_t taken = 0; taken < 15; ++taken) {
    LoaderState state;
    {
      DataLoader loader(dataset, processes());
      Prefetcher feed(loader, host_device(), with_floats());
      for (std::uint64_t number = 0; number <= taken; ++number)
        state = feed.next(stream).value().loader_state();
    }
    DataLoader loader(dataset, inline_loading());
    loader.restore(state);
    Prefetcher feed(loader, host_device(), with_floats());
    for (std::uint64_t number = taken + 1; number < 15; ++number) {
      const auto batch = feed.next(stream).value();
      CHECK(batch.number() == number);
      check_batch(batch, 7 * number);
    }
    CHECK_FALSE(feed.next(stream).has_value());
    CHECK(feed.next(stream).value().epoch() == 1);
  }
}

TEST_CASE("a loader without workers feeds a device") {
  check_epochs(host_device(), inline_loading());
}
TEST_CASE("worker threads feed a device") {
  check_epochs(host_device(), threads());
}
TEST_CASE("worker processes feed a device", "[process]") {
  check_epochs(host_device(), processes());
}

TEST_CASE("a broken sample costs its batch, without workers") {
  check_errors_in_place(inline_loading());
}
TEST_CASE("a broken sample costs its batch, with worker threads") {
  check_errors_in_place(threads());
}
TEST_CASE("a broken sample costs its batch, with worker processes", "[process]") {
  check_errors_in_place(processes());
}

TEST_CASE("a prefetcher and its loader are abandoned, without workers") {
  check_abandoned(inline_loading());
}
TEST_CASE("a prefetcher and its loader are abandoned, with worker threads") {
  check_abandoned(threads());
}
TEST_CASE("a prefetcher and its loader are abandoned, with worker processes", "[process]") {
  check_abandoned(processes());
}

TEST_CASE("the loader delivers again when its prefetcher is gone") {
  const CountingDataset dataset;
  DataLoader loader(dataset, inline_loading());
  const Stream stream = host_device().make_stream();
  {
    Prefetcher feed(loader, host_device(), with_floats());
    feed.next(stream);
  }
  loader.start_epoch(1);
  CHECK(loader.next().value().number() == 0);
}

TEST_CASE("options that do not fit are refused by name, and the loader is none the worse") {
  class Captions final : public Dataset {
   public:
    std::size_t size() const override { return 4; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t, Rng&, SampleWriter& out) const override {
      out.set("label", std::int64_t{1});
      out.set_text("caption", "one");
    }

   private:
    Schema schema_{{{"label", DType::i64, {}}, Field::text("caption", 10)}};
  };
  const Captions dataset;
  DataLoader loader(dataset, {.batch_size = 2});
  expect_error<ArgumentError>(
      [&] {
        Prefetcher feed(loader, host_device(), {.normalize = {{"caption", "pixels", {}}}});
      },
      {"\"caption\"", "u8 pixels"});
  CHECK(loader.next().value().text("caption", 1) == "one");
}

TEST_CASE("a sample that ends its workers arrives as an error, and what is behind it as batches",
          "[process]") {
  CountingDataset dataset;
  dataset.fatal = 50;
  DataLoaderOptions options = processes();
  options.on_warning = [](const std::string&) {};
  DataLoader loader(dataset, options);
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device(), with_floats());
  std::size_t batches = 0, errors = 0;
  for (bool more = true; more;) {
    try {
      more = feed.next(stream).has_value();
      batches += more ? 1 : 0;
    } catch (const SampleError& error) {
      ++errors;
      CHECK(error.origin().index == 50);
      CHECK(error.origin().deaths == 2);
    }
  }
  CHECK(errors == 1);
  CHECK(batches == loader.size() - 1);
}

TEST_CASE("workers that never come arrive as a WorkerInitError, and again", "[process]") {
  const CountingDataset dataset;
  DataLoaderOptions options = processes();
  options.on_warning = [](const std::string&) {};
  options.worker_init_fn = [](int) { ::_exit(7); };
  DataLoader loader(dataset, options);
  const Stream stream = host_device().make_stream();
  Prefetcher feed(loader, host_device(), with_floats());
  expect_error<WorkerInitError>([&] { feed.next(stream); }, {"status 7"});
  expect_error<WorkerInitError>([&] { feed.next(stream); }, {"status 7"});
}

TEST_CASE("worker processes feed a GPU", "[gpu]") {
  if (!without_gpu()) check_epochs(cuda_device(0), processes());
}

TEST_CASE("the slots of a loader are page-locked for a GPU", "[gpu]") {
  if (without_gpu()) return;
  const CountingDataset dataset;
  DataLoader loader(dataset, processes());
  std::string warning;
  PrefetcherOptions options = with_floats();
  options.on_warning = [&](const std::string& text) { warning = text; };
  const Prefetcher feed(loader, cuda_device(0), options);
  CHECK(warning.empty());
}
