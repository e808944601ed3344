// The prefetcher over the fake CUDA runtime, which reports what a GPU would do silently.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <latch>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "leat/loader/data_loader.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_source.h"

namespace leat::test {
namespace {

const FieldNormalization kFloats{.field = "image", .output = "float", .how = {}};

std::vector<std::byte> expected_image(const ScriptedSource& source, std::uint64_t epoch, std::uint64_t number,
                                      std::size_t bytes) {
  auto expected = ScriptedSource::slot_bytes(source.layout(), epoch, number);
  expected.resize(bytes);  // the image is the first field
  return expected;
}

// Loads an epoch, and uses each batch on the consumer's stream before it is given back. Returns the images.
std::vector<std::vector<std::byte>> load_epoch(Prefetcher& feed, std::uint64_t epoch, StreamRef consumer) {
  std::vector<PinnedBuffer> images;
  for (const DeviceBatch& batch : feed.epoch(epoch, consumer)) {
    const TensorView image = batch["image"];
    images.push_back(consumer.device().allocate_pinned(image.bytes()));
    consumer.device().copy(images.back().data(), image.data, image.bytes(), consumer);
    cuda_fake::use(static_cast<cudaStream_t>(consumer.handle()), image.data, image.bytes(),
                   cuda_fake::Access::read);
  }
  consumer.synchronize();
  std::vector<std::vector<std::byte>> bytes;
  for (const PinnedBuffer& image : images) bytes.emplace_back(image.data(), image.data() + image.size());
  return bytes;
}

void check_images(const ScriptedSource& source, std::uint64_t epoch,
                  const std::vector<std::vector<std::byte>>& images) {
  REQUIRE(images.size() == source.batches());
  for (std::uint64_t number = 0; number < images.size(); ++number)
    CHECK((images[number] == expected_image(source, epoch, number, images[number].size())));
}

// Sample 40 is ready after sample 300, so its batch keeps back many others, for which slots are added.
class SlowSample final : public Dataset {
 public:
  std::size_t size() const override { return 640; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    if (index == 40) last_.wait();
    out.set("id", static_cast<std::int64_t>(index));
    if (index == 300) last_.count_down();
  }

 private:
  Schema schema_{{{"id", DType::i64, {}}}};
  mutable std::latch last_{1};
};

TEST_CASE(
    "every copy of a prefetcher is from page-locked memory, also while the loader waits for a slow sample") {
  const SlowSample data;
  DataLoader loader(data, {.batch_size = 8, .num_workers = 2, .worker_kind = WorkerKind::threads});
  BatchSource source = BatchSource::of(loader);
  std::size_t outside = 0;
  source.next = [next = source.next, memory = source.memory.at(0), &outside] {
    auto batch = next();
    if (batch &&
        (batch->bytes().data() < memory.data() || batch->bytes().data() >= memory.data() + memory.size()))
      ++outside;
    return batch;
  };
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  const auto before = cuda_fake::counts();
  {
    Prefetcher feed(std::move(source), device);
    std::int64_t next = 0;
    for (const DeviceBatch& batch : feed.epoch(0, stream)) {
      const PinnedBuffer ids = device.allocate_pinned(batch["id"].bytes());
      device.copy(ids.data(), batch["id"].data, ids.size(), stream);
      stream.ref().synchronize();
      for (std::size_t row = 0; row < batch.size(); ++row) {
        std::int64_t id = 0;
        std::memcpy(&id, ids.data() + row * sizeof id, sizeof id);
        CHECK(id == next++);
      }
    }
    CHECK(next == 640);
  }
  CHECK(outside > 5);
  CHECK(cuda_fake::counts().pageable_copies == before.pageable_copies);
}

TEST_CASE("where the runtime refuses to register the slots, every copy is from page-locked memory, too") {
  Device& device = cuda_device(0);
  const auto before = cuda_fake::counts().pageable_copies;
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 50; ++seed) {
    INFO("seed " << seed);
    cuda_fake::run_randomly(seed);  // so several copies are under way at a time
    ScriptedSource source({.batches = 8});
    const Stream stream = device.make_stream();
    std::vector<std::string> warnings;
    cuda_fake::fail_call(1, cudaErrorMemoryAllocation, "cudaHostRegister");
    Prefetcher feed(source.source(), device,
                    {.buffers = 4, .on_warning = [&](const std::string& text) { warnings.push_back(text); }});
    CHECK(cuda_fake::failed_call() == "cudaHostRegister");
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("cudaHostRegister") != std::string::npos);
    check_images(source, 3, load_epoch(feed, 3, stream));
    CHECK(cuda_fake::take_violations() == std::vector<std::string>());
  }
  cuda_fake::go_free();
  CHECK(cuda_fake::counts().pageable_copies == before);
}

TEST_CASE("prefetching needs no host functions, whatever host work a user enqueues") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  std::latch go(1);
  const Stream stream = device.make_stream();
  int ran = 0;
  device.enqueue(stream, [&] { ++ran; });
  device.enqueue(stream, [&] { go.wait(); });  // under way while a batch is given back
  const auto before = cuda_fake::counts().host_functions;
  {
    Prefetcher feed(source.source(), device, {.buffers = 3, .normalize = {kFloats}});
    feed.start_epoch(0);
    feed.next(stream).value();
    go.count_down();
    for ([[maybe_unused]] const DeviceBatch& batch : feed.rest(stream)) continue;
  }
  stream.ref().synchronize();
  CHECK(ran == 1);
  CHECK(cuda_fake::counts().host_functions == before);
}

TEST_CASE(
    "a failure of the consumer's host work reaches the prefetcher through the buffer that is given back") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  Prefetcher feed(source.source(), device, {.buffers = 1});
  feed.next(stream).value();
  device.enqueue(stream, [] { throw PlannedError("planned"); });
  feed.next(stream).value();  // given back behind the failure
  expect_error<PlannedError>(
      [&] {
        while (feed.next(stream)) continue;
      },
      {"planned"});
  expect_error<PlannedError>([&] { stream.ref().synchronize(); }, {"planned"});
}

TEST_CASE("a prefetcher goes on while its user captures a graph") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const FakeStream captured;
  const Stream consumer = device.make_stream();
  Prefetcher feed(source.source(), device, {.buffers = 1});
  must(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  std::size_t batches = 0;
  for (const DeviceBatch& batch : feed.epoch(0, consumer)) batches += batch.size() > 0 ? 1 : 0;
  CHECK(batches == 8);
  CHECK(end_capture(captured) == cudaSuccess);
}

TEST_CASE("batches are neither requested nor destroyed while their consumer's stream is captured") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream consumer = device.make_stream();
  auto* const raw = static_cast<cudaStream_t>(consumer.ref().handle());
  Prefetcher feed(source.source(), device, {.buffers = 2});
  auto batch = feed.next(consumer);
  must(cudaStreamBeginCapture(raw, cudaStreamCaptureModeRelaxed));
  expect_error<DeviceError>([&] { feed.next(consumer); }, {"cuda:0", "captured into a graph"});
  batch.reset();
  CHECK(end_capture(raw) == cudaSuccess);
  expect_error<DeviceError>(
      [&] {
        while (feed.next(consumer)) continue;
      },
      {"destroyed while its consumer's stream"});
}

TEST_CASE("a batch of a thread's default stream may be given back by another thread") {
  Device& device = cuda_device(0);
  const StreamRef consumer(device, cudaStreamPerThread);
  ScriptedSource source({.batches = 8});
  Prefetcher feed(source.source(), device, {.buffers = 1});
  feed.start_epoch(0);
  for (std::uint64_t number = 0; number < 8; ++number) {
    auto batch = feed.next(consumer);
    REQUIRE(batch);
    const TensorView image = (*batch)["image"];
    const PinnedBuffer copy = device.allocate_pinned(image.bytes());
    {
      const HeldOrder order;
      device.copy(copy.data(), image.data, image.bytes(), consumer);
      std::thread([&] { batch.reset(); }).join();  // the next batch must wait for the copy above
    }
    consumer.synchronize();
    CHECK((std::vector(copy.data(), copy.data() + copy.size()) ==
           expected_image(source, 0, number, copy.size())));
  }
  CHECK(cuda_fake::take_violations().empty());
}

TEST_CASE("a batch of a thread's default stream may be given back after that thread has ended") {
  Device& device = cuda_device(0);
  ScriptedSource source({.batches = 8});
  Prefetcher feed(source.source(), device, {.buffers = 1});
  const PinnedBuffer copy = device.allocate_pinned(72 * 4);
  for (std::uint64_t number = 0; number < 7; ++number) {
    std::optional<DeviceBatch> batch;
    std::thread([&] {
      const StreamRef consumer(device, cudaStreamPerThread);
      batch = feed.next(consumer);
      cuda_fake::hold();
      device.copy(copy.data(), (*batch)["image"].data, copy.size(), consumer);
    }).join();
    std::thread([&] { batch.reset(); }).join();  // this thread may have the id of the one before
    cuda_fake::go_free();
    must(cudaDeviceSynchronize());
    CHECK((std::vector(copy.data(), copy.data() + copy.size()) ==
           expected_image(source, 0, number, copy.size())));
  }
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("giving back a thread's batch on another thread does not break a capture") {
  Device& device = cuda_device(0);
  ScriptedSource source({.batches = 8});
  const FakeStream blocking(cudaStreamDefault);
  Prefetcher feed(source.source(), device);
  auto batch = feed.next(StreamRef(device, cudaStreamPerThread));
  must(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  std::thread([&] { batch.reset(); }).join();
  CHECK(end_capture(blocking) == cudaSuccess);
  const Stream consumer = device.make_stream();
  expect_error<DeviceError>(
      [&] {
        while (feed.next(consumer)) continue;
      },
      {"cudaErrorStreamCaptureImplicit"});
}

void load_on_two_devices(std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  cuda_fake::run_randomly(random());
  const auto options = [&] { return PrefetcherOptions{.buffers = 1 + random() % 3, .normalize = {kFloats}}; };
  const PrefetcherOptions first_options = options(), second_options = options();
  std::vector<std::vector<std::byte>> images[2];
  ScriptedSource first({.batches = 5, .slots = 3, .max_held_batches = 2}), second({.batches = 5, .slots = 3});
  const auto load = [](ScriptedSource& source, Device& device, const PrefetcherOptions& how, auto& result) {
    Prefetcher feed(source.source(), device, how);
    const Stream consumer = device.make_stream();
    result = load_epoch(feed, 2, consumer);
  };
  std::thread other([&] { load(second, cuda_device(1), second_options, images[1]); });
  load(first, cuda_device(0), first_options, images[0]);
  other.join();
  cuda_fake::go_free();
  check_images(first, 2, images[0]);
  check_images(second, 2, images[1]);
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("in any order of the streams of two devices, every batch arrives whole, and nothing is reported") {
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 100; ++seed) load_on_two_devices(seed);
}

TEST_CASE("in 10,000 orders of the streams of two devices, every batch arrives whole", "[slow]") {
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 10'000; ++seed) load_on_two_devices(seed);
}

// Loads two epochs, with host work; returns the error, empty if there was none.
std::string load_all(ScriptedSource& source) {
  try {
    Device& device = cuda_device(0);
    Prefetcher feed(source.source(), device,
                    {.normalize = {kFloats}, .on_warning = [](const std::string&) {}});
    const Stream consumer = device.make_stream();
    device.enqueue(consumer, [] {});
    for (const std::uint64_t epoch : {0, 1}) {
      for (const DeviceBatch& batch : feed.epoch(epoch, consumer)) {
        const Event event = device.make_event();
        device.record(event, consumer);
        while (!device.passed(event)) std::this_thread::yield();
        CHECK(batch.size() > 0);
      }
    }
    consumer.ref().synchronize();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

// Destructors cannot tell that this failed: those of the prefetcher, which wait, and those of the last batches, after
// which nobody asks for another one.
bool is_in_destructor(const std::string& call, const std::string& error) {
  const std::set<std::string> calls{"cudaStreamSynchronize",   "cudaEventSynchronize",  "cudaGetDevice",
                                    "cudaStreamGetId",         "cudaStreamIsCapturing", "cudaEventRecord",
                                    "cudaEventCreateWithFlags"};
  return error.empty() && calls.contains(call);
}

TEST_CASE("whichever call of the runtime fails, the error names it and everything is given back") {
  ScriptedSource warm_up({});
  CHECK(load_all(warm_up).empty());
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::size_t failures = 0, silent = 0;
  for (std::size_t n = 1;; ++n) {
    INFO("call " << n);
    ScriptedSource source({});
    cuda_fake::fail_call(n, cudaErrorLaunchFailure);
    const std::string error = load_all(source);
    const std::string call = cuda_fake::failed_call();
    cuda_fake::recover();
    INFO(call << ": " << error);
    CHECK(cuda_fake::holdings() == before);
    CHECK(source.leased() == 0);
    CHECK(cuda_fake::take_violations() == std::vector<std::string>());
    if (call.empty()) {
      CHECK(error.empty());
      break;
    }
    // A warning is all that follows of the one, and nothing of the other but a capture that might break.
    const bool is_harmless = call == "cudaHostRegister" || call == "cudaThreadExchangeStreamCaptureMode" ||
                             is_in_destructor(call, error);
    silent += is_in_destructor(call, error) ? 1 : 0;
    if (!is_harmless) {
      ++failures;
      CHECK(error.find("cuda:0") != std::string::npos);
      CHECK(error.find(call == "cudaLaunchKernelEx" ? "launch" : call) != std::string::npos);
      CHECK(error.find("cudaErrorLaunchFailure") != std::string::npos);
    }
    CHECK(cudaPeekAtLastError() == cudaSuccess);  // nothing is left behind for other users of the runtime
  }
  CHECK(failures > 100);
  CHECK(silent < failures / 4);
}

TEST_CASE("a device that is lost in the middle of an epoch ends it with an error, and slots are given back") {
  for (const std::uint64_t last : {0, 1, 3}) {
    ScriptedSource source({.batches = 8});
    const cuda_fake::Holdings before = cuda_fake::holdings();
    {
      Device& device = cuda_device(0);
      const Stream consumer = device.make_stream();
      Prefetcher feed(source.source(), device, {.normalize = {kFloats}});
      std::string error;
      try {
        for (const DeviceBatch& batch : feed.epoch(0, consumer)) {
          if (batch.number() == last) cuda_fake::lose(cudaErrorIllegalAddress);
        }
      } catch (const DeviceError& lost) {
        error = lost.what();
      }
      INFO(error);
      CHECK(error.find("cuda:0") != std::string::npos);
      CHECK(error.find("cudaErrorIllegalAddress") != std::string::npos);
      CHECK(error.find("earlier") != std::string::npos);  // work that was enqueued earlier may be meant
    }
    cuda_fake::recover();
    CHECK(source.leased() == 0);
    CHECK(cuda_fake::holdings() == before);
    cudaGetLastError();
  }
}

}  // namespace
}  // namespace leat::test
