#include "leat/transfer/device_dlpack.h"

#include <dlpack/dlpack.h>

#include <catch2/catch_test_macros.hpp>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "leat/transfer/copy_to_host.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/support/scripted_source.h"

namespace leat::test {
namespace {

std::shared_ptr<const DeviceBatch> next_of(Prefetcher& feed, StreamRef consumer) {
  return std::make_shared<const DeviceBatch>(std::move(*feed.next(consumer)));
}

std::vector<std::byte> expected_image(const ScriptedSource& source, std::uint64_t number, std::size_t bytes) {
  auto expected = ScriptedSource::slot_bytes(source.layout(), 0, number);
  expected.resize(bytes);  // the image is the first field
  return expected;
}

TEST_CASE("DLPack of a device batch: a tensor describes the field, and outlives batch and prefetcher") {
  ScriptedSource source({.batches = 4});
  const Stream stream = host_device().make_stream();
  DlpackTensor tensor;
  TensorView view;
  {
    Prefetcher feed(source.source(), host_device());
    auto batch = next_of(feed, stream);
    view = (*batch)["image"];
    tensor = to_dlpack(std::move(batch), "image");
    while (feed.next(stream)) {  // no other batch is copied over it
    }
  }
  const DLTensor& exported = tensor->dl_tensor;
  CHECK(exported.data == view.data);
  CHECK(exported.device.device_type == kDLCPU);
  CHECK(exported.device.device_id == 0);
  CHECK(exported.dtype.code == kDLUInt);
  CHECK(Shape(exported.shape, exported.shape + exported.ndim) == view.shape);
  const auto* const bytes = static_cast<const std::byte*>(exported.data);
  CHECK((std::vector<std::byte>(bytes, bytes + view.bytes()) == expected_image(source, 0, view.bytes())));
}

TEST_CASE(
    "DLPack of a device batch: the buffer comes back with the last tensor, on whatever thread that is") {
  ScriptedSource source({.batches = 8});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 2});
  std::vector<DlpackTensor> tensors;
  for (int buffer = 0; buffer < 2; ++buffer) {
    const auto batch = next_of(feed, stream);
    tensors.push_back(to_dlpack(batch, "image"));
    tensors.push_back(to_dlpack(batch, "image", stream));
  }
  expect_error<SlotsHeldError>([&] { feed.next(stream); });
  tensors.pop_back();
  expect_error<SlotsHeldError>([&] { feed.next(stream); });
  std::jthread([last = tensors.back().release()] { last->deleter(last); }).join();
  CHECK(feed.next(stream)->number() == 2);
}

TEST_CASE("DLPack of a device batch: the buffer is filled again only when the tensor's stream has passed") {
  ScriptedSource source({.batches = 4});
  const Stream stream = host_device().make_stream();
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  const Stream other = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 1});
  auto batch = next_of(feed, stream);
  const TensorView view = (*batch)["image"];
  DlpackTensor tensor = to_dlpack(std::move(batch), "image", other);
  std::vector<std::byte> seen(view.bytes());
  host_device().enqueue(other, [open] { open.wait(); });
  host_device().copy(seen.data(), view.data, view.bytes(), other);
  tensor.reset();
  // The buffer is free for the schedule, but the copy of batch 1 waits for the other stream. The batch's stream, which
  // waits for it, too, has not passed either.
  const Event passed = host_device().make_event();
  host_device().record(passed, stream);
  CHECK_FALSE(host_device().passed(passed));
  gate.set_value();
  CHECK(feed.next(stream)->number() == 1);
  other.ref().synchronize();
  CHECK((seen == expected_image(source, 0, view.bytes())));
}

TEST_CASE("DLPack of a device batch: a stream that was destroyed before the tensor does no harm") {
  ScriptedSource source({.batches = 4});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device(), {.buffers = 1});
  DlpackTensor tensor;
  {
    const Stream other = host_device().make_stream();
    tensor = to_dlpack(next_of(feed, stream), "image", other);
  }
  tensor.reset();
  CHECK(feed.next(stream)->number() == 1);
}

TEST_CASE("DLPack of a device batch: no batch and no field are errors") {
  ScriptedSource source({});
  const Stream stream = host_device().make_stream();
  Prefetcher feed(source.source(), host_device());
  const auto batch = next_of(feed, stream);
  expect_error<ArgumentError>([&] { to_dlpack(batch, "nothing"); }, {"\"nothing\""});
  expect_error<ArgumentError>([&] { to_dlpack(batch, "nothing", stream); }, {"\"nothing\""});
  expect_error<ArgumentError>([] { to_dlpack(std::shared_ptr<const DeviceBatch>(), "image"); }, {"no batch"});
  CHECK(batch.use_count() == 1);
}

}  // namespace
}  // namespace leat::test
