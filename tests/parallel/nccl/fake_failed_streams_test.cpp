// What a failed collective leaves on its stream is not taken for good, on fake GPUs.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "leat/parallel/gradient_reducer.h"
#include "leat/parallel/nccl/nccl_communicator_impl.h"
#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/support/expect_error.h"
#include "tests/transfer/cuda/fake_support.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using cuda_fake::fake_nccl;

Group group_of_two(const Stores& stores, std::chrono::milliseconds collective_timeout = 20s) {
  Group group(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    group[r] =
        make_nccl_communicator(stores[r], cuda_device(rank), {.collective_timeout = collective_timeout});
  });
  return group;
}

const std::vector<float> kZeros(8);

TEST_CASE("a failed collective fails its stream, events behind it, and the streams that wait for these") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = group_of_two(stores);
  Device& device = cuda_device(0);
  const Stream stream = device.make_stream(), other = device.make_stream(), third = device.make_stream(),
               unrelated = device.make_stream();
  const Stream of_host = host_device().make_stream();
  const Event before = device.make_event(), behind = device.make_event(), later = device.make_event();
  const DeviceValues<float> values(stream, kZeros);
  std::atomic<int> skipped = 0;
  device.record(before, stream);
  group[0]->all_reduce(values.span(), ReduceOp::sum, stream);
  device.record(behind, stream);
  device.wait(other, behind);
  device.record(later, other);
  device.wait(third, later);
  device.enqueue(third, [&] { ++skipped; });
  host_device().wait(of_host, behind);
  group[1]->abort("enough");
  expect_error<CommunicationError>([&] { stream.ref().synchronize(); }, {"rank 1: enough"});
  expect_error<CommunicationError>([&] { device.synchronize(behind.ref()); }, {"rank 1: enough"});
  expect_error<CommunicationError>([&] { other.ref().synchronize(); }, {"rank 1: enough"});
  expect_error<CommunicationError>([&] { device.synchronize(later.ref()); }, {"rank 1: enough"});
  expect_error<CommunicationError>([&] { third.ref().synchronize(); }, {"rank 1: enough"});
  expect_error<CommunicationError>([&] { of_host.ref().synchronize(); }, {"rank 1: enough"});
  CHECK(skipped == 0);
  device.synchronize(before.ref());
  unrelated.ref().synchronize();
  expect_error<CommunicationError>([&] { group[0]->throw_if_failed(); }, {"rank 1: enough"});
}

TEST_CASE("collectives that ended before the failure stay good") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = group_of_two(stores);
  const Stream first = cuda_device(0).make_stream(), second = cuda_device(0).make_stream();
  const DeviceValues<float> values(first, kZeros);
  const Event good = cuda_device(0).make_event();
  run_ranks(2, [&](int rank) {
    const Stream own = cuda_device(rank).make_stream();
    const DeviceValues<float> one(own, kZeros);
    if (rank == 1) group[1]->all_reduce(one.span(), ReduceOp::sum, own);
    if (rank == 0) group[0]->all_reduce(values.span(), ReduceOp::sum, first);
    if (rank == 0) cuda_device(0).record(good, first);
    own.ref().synchronize();
  });
  cuda_device(0).synchronize(good.ref());  // the watchdog may not have seen it yet
  group[0]->all_reduce(values.span(), ReduceOp::sum, second);
  group[0]->abort("enough");
  first.ref().synchronize();
  cuda_device(0).synchronize(good.ref());
  expect_error<CommunicationError>([&] { second.ref().synchronize(); }, {"enough"});
  group[1]->abort("");
}

TEST_CASE("a rank that gives no gradients fails the pass on all ranks, however it ends") {
  const bool together = GENERATE(false, true);
  fake_nccl().reset();
  const Stores stores = loopback_stores(2);
  const Group group = group_of_two(stores, 500ms);
  std::vector<std::string> kinds(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    Device& device = cuda_device(rank);
    const Stream stream = device.make_stream();
    const DeviceBuffer value = device.allocate(8 * sizeof(float));
    GradientReducer reducer(
        *group[r],
        {{.name = "w", .value = {.data = value.data(), .dtype = DType::f32, .shape = {8}}, .gradient = {}}});
    const auto fail = [&](const std::function<void()>& call) { return kind_of_error(call); };
    if (rank == 0) {
      kinds[0] = fail([&] {
        reducer.mark_ready(0, stream);
        if (together) {
          reducer.finish_together(stream);
        } else {
          reducer.finish(stream);
          stream.ref().synchronize();
        }
      });
      if (!together) expect(fail([&] { stream.ref().synchronize(); }) == kinds[0], "the stream stays failed");
      expect(fail([&] { reducer.global_rows(1); }).find("PeerSilent 1") == 0, "the next use fails");
    } else {  // it hangs outside of NCCL, until it finds out
      const auto end = std::chrono::steady_clock::now() + 15s;
      while (kinds[1].empty() && std::chrono::steady_clock::now() < end) {
        kinds[1] = fail([&] { group[1]->throw_if_failed(); });
        std::this_thread::sleep_for(1ms);
      }
      expect(fail([&] {
               reducer.mark_ready(0, stream);
               reducer.finish(stream);
             }).find("PeerSilent 1") == 0,
             "the other rank's pass fails");
    }
  });
  for (const std::string& kind : kinds) {
    INFO(kind);
    CHECK(kind.find("PeerSilent 1: waited 500 ms: rank 1 is at broadcast #") == 0);
  }
}

TEST_CASE("finish throws if the communicator has failed since the last gradient was marked") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  const auto communicator = make_nccl_communicator(stores[0], cuda_device(0));
  const Stream stream = cuda_device(0).make_stream();
  const DeviceBuffer value = cuda_device(0).allocate(8 * sizeof(float));
  GradientReducer reducer(
      *communicator,
      {{.name = "w", .value = {.data = value.data(), .dtype = DType::f32, .shape = {8}}, .gradient = {}}});
  reducer.mark_ready(0, stream);
  communicator->abort("enough");
  expect_error<CommunicationError>([&] { reducer.finish(stream); }, {"enough"});
}

// NCCL, except that its all-reduce leaves the stream alone: the fake captures no collectives.
const NcclApi& library_without_sums() {
  static const NcclApi api = [] {
    NcclApi changed = nccl_library();
    changed.all_reduce = [](const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                            cudaStream_t) { return ncclSuccess; };
    return changed;
  }();
  return api;
}

TEST_CASE("a collective that is captured is not followed, and the capture is not broken") {
  fake_nccl().reset();
  const Stores stores = loopback_stores(1);
  NcclCommunicator communicator(library_without_sums(), stores[0], cuda_device(0),
                                {.collective_timeout = 100ms});
  const Stream stream = cuda_device(0).make_stream(), other = cuda_device(0).make_stream();
  const auto handle = static_cast<cudaStream_t>(stream.ref().handle());
  const DeviceValues<float> values(stream, kZeros);
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    communicator.all_reduce(values.span(), ReduceOp::sum, other);  // the watchdog polls its event meanwhile
    must(cudaStreamBeginCapture(handle, mode));
    communicator.all_reduce(values.span(), ReduceOp::sum, stream);
    std::this_thread::sleep_for(300ms);  // longer than the limit
    CHECK(end_capture(handle) == cudaSuccess);
  }
  communicator.throw_if_failed();
  stream.ref().synchronize();
  communicator.abort("enough");
  expect_error<CommunicationError>([&] { stream.ref().synchronize(); }, {"enough"});
  other.ref().synchronize();
}

}  // namespace
}  // namespace leat::test
