// Mapped fields of a prefetcher on the fake CUDA runtime.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"
#include "tests/transfer/support/device_contract.h"
#include "tests/transfer/support/scripted_source.h"

namespace leat::test {
namespace {

using Bytes = std::vector<std::byte>;

cudaStream_t raw(StreamRef stream) {
  return static_cast<cudaStream_t>(stream.handle());
}

Bytes expected_field(const ScriptedSource& source, const DeviceBatch& batch, std::size_t field) {
  auto slot = ScriptedSource::slot_bytes(source.layout(), batch.epoch(), batch.number());
  const TensorView view = source.layout().view(field, slot.data(), batch.size());
  const auto* const first = static_cast<const std::byte*>(view.data);
  return {first, first + view.bytes()};
}

TEST_CASE("a mapped field is page-locked memory at an address that stays, and none of it is copied") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  const auto before = cuda_fake::counts();
  Prefetcher feed(source.source(), device, {.buffers = 3, .mapped = {"image"}});
  std::map<std::size_t, void*> places;
  std::size_t label_bytes = 0;
  for (const std::uint64_t epoch : {0, 1}) {
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
      const TensorView image = batch["image"];
      CHECK(places.try_emplace(batch.buffer(), image.data).first->second == image.data);
      cudaPointerAttributes attributes{};
      must(cudaPointerGetAttributes(&attributes, image.data));
      CHECK(attributes.type == cudaMemoryTypeHost);
      CHECK(attributes.devicePointer == image.data);
      CHECK(download(stream, image.data, image.bytes()) == expected_field(source, batch, 0));
      CHECK(download(stream, batch["label"].data, batch["label"].bytes()) ==
            expected_field(source, batch, 1));
      label_bytes += batch["label"].bytes();
      cuda_fake::use(raw(stream), image.data, image.bytes(), cuda_fake::Access::read);
    }
  }
  stream.ref().synchronize();
  CHECK(feed.stats().devices[0].copied_bytes == label_bytes);
  CHECK(feed.stats().devices[0].bounced_bytes == 0);
  CHECK(cuda_fake::counts().copies ==
        before.copies + 16 + 2 * 16);  // the labels, and two downloads of each batch
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

// Loads two epochs and leaves others, with transforms of mapped fields. Each batch is used after its stream got it.
void load_mapped(std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  cuda_fake::run_randomly(random());
  ScriptedSource source({.batches = 6, .slots = 3, .max_held_batches = 2});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  struct Seen {
    PinnedBuffer image;
    Bytes expected;
  };
  std::vector<Seen> seen;
  {
    PrefetcherOptions options{.buffers = 1 + random() % 3, .mapped = {"image"}};
    if (random() % 2 == 0) options.normalize = {{.field = "image", .output = "float", .how = {}}};
    Prefetcher feed(source.source(), device, options);
    for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
      const std::uint64_t left_at = random() % 8;
      for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
        if (batch.number() == left_at) break;
        const TensorView image = batch["image"];
        seen.push_back({device.allocate_pinned(image.bytes()), expected_field(source, batch, 0)});
        cuda_fake::use(raw(stream), image.data, image.bytes(), cuda_fake::Access::read);
        device.copy(seen.back().image.data(), image.data, image.bytes(), stream);
        cuda_fake::use(raw(stream), image.data, image.bytes(), cuda_fake::Access::read);
      }
    }
  }
  stream.ref().synchronize();
  for (const Seen& each : seen)
    CHECK((Bytes(each.image.data(), each.image.data() + each.image.size()) == each.expected));
  cuda_fake::go_free();
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("in any order of the streams, mapped rows are whole for as long as a stream reads them") {
  const std::uint64_t start = std::random_device{}();
  for (std::uint64_t seed = start; seed < start + 150; ++seed) load_mapped(seed);
}

TEST_CASE("a transform makes of a mapped field what it makes of a copied one") {
  Device& device = cuda_device(1);
  const Stream stream = device.make_stream();
  ScriptedSource mapped({.batches = 4}), copied({.batches = 4});
  const PrefetcherOptions options{.normalize = {{.field = "image", .output = "float", .how = {}}}};
  PrefetcherOptions with_mapped = options;
  with_mapped.mapped = {"image"};
  Prefetcher feed(mapped.source(), device, with_mapped), plain(copied.source(), device, options);
  plain.start_epoch(0);
  for (const DeviceBatch& batch : feed.epoch(0, stream)) {
    const DeviceBatch expected = plain.next(stream).value();
    const TensorView floats = batch["float"];
    CHECK(download(stream, floats.data, floats.bytes()) ==
          download(stream, expected["float"].data, expected["float"].bytes()));
  }
}

TEST_CASE("a graph for each buffer that reads a mapped field is replayed on every batch") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  const std::size_t bytes = 4 * 6 * 4 * 3;
  const PinnedBuffer result = device.allocate_pinned(bytes);
  Prefetcher feed(source.source(), device, {.buffers = 3, .mapped = {"image"}});
  std::map<std::size_t, std::unique_ptr<FakeGraph>> graphs;
  for (const std::uint64_t epoch : {0, 1}) {
    for (const DeviceBatch& batch : feed.epoch(epoch, stream)) {
      if (batch.size() < 4) continue;
      auto& graph = graphs[batch.buffer()];
      if (graph == nullptr) {
        const TensorView image = batch["image"];
        graph = std::make_unique<FakeGraph>(
            raw(stream), [&] { device.copy(result.data(), image.data, image.bytes(), stream); });
      }
      graph->launch(raw(stream));
      stream.ref().synchronize();
      CHECK((Bytes(result.data(), result.data() + bytes) == expected_field(source, batch, 0)));
    }
  }
  graphs.clear();
  CHECK(cuda_fake::take_violations() == std::vector<std::string>());
}

TEST_CASE("a failure of the consumer's host work reaches a prefetcher that waits for the stream") {
  ScriptedSource source({.batches = 8});
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream();
  Prefetcher feed(source.source(), device, {.buffers = 1, .mapped = {"image"}});
  feed.next(stream).value();
  device.enqueue(stream, [] { throw PlannedError("planned"); });
  feed.next(stream).value();  // given back behind the failure
  expect_error<PlannedError>(
      [&] {
        while (feed.next(stream)) continue;
      },
      {"planned"});
}

// Loads an epoch with a mapped field; returns the error, empty if there was none.
std::string load_epoch(ScriptedSource& source) {
  try {
    Device& device = cuda_device(0);
    const Stream stream = device.make_stream();
    Prefetcher feed(source.source(), device, {.mapped = {"label"}, .on_warning = [](const std::string&) {}});
    for (const DeviceBatch& batch : feed.epoch(0, stream)) CHECK(batch.size() > 0);
    stream.ref().synchronize();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("whichever call for mapped fields fails, everything is given back, and the error names it") {
  ScriptedSource warm_up({});
  CHECK(load_epoch(warm_up).empty());
  const cuda_fake::Holdings before = cuda_fake::holdings();
  std::set<std::string> named;
  for (std::size_t n = 1;; ++n) {
    INFO("call " << n);
    ScriptedSource source({});
    cuda_fake::fail_call(n, cudaErrorLaunchFailure);
    const std::string error = load_epoch(source);
    const std::string call = cuda_fake::failed_call();
    cuda_fake::recover();
    INFO(call << ": " << error);
    CHECK(cuda_fake::holdings() == before);
    CHECK(source.leased() == 0);
    CHECK(cuda_fake::take_violations() == std::vector<std::string>());
    if (call.empty()) break;
    if (!error.empty()) {
      CHECK(error.find(call) != std::string::npos);
      named.insert(call);
    }
  }
  CHECK(named.contains("cudaHostAlloc"));
  CHECK(named.contains("cudaEventSynchronize"));
}

}  // namespace
}  // namespace leat::test
