// What communicators over shared memory take from the system, and what a forked process may do with them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "leat/loader/os/child_process.h"
#include "tests/parallel/shared_memory/shared_memory_group.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

struct Resources {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t mappings = 0;  // of memory files
  friend bool operator==(const Resources&, const Resources&) = default;
};

Resources resources() {
  Resources found;
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  found.descriptors = std::distance(begin(entries), end(entries));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    found.mappings += line.find("memfd:leat") != std::string::npos;
  return found;
}

float sum(Communicator& communicator, TensorSpan data) {
  const Stream stream = host_device().make_stream();
  auto* const values = static_cast<float*>(data.data);
  std::fill_n(values, data.count, static_cast<float>(communicator.rank() + 1));
  communicator.all_reduce(data, ReduceOp::sum, stream);
  stream.ref().synchronize();
  return values[data.count - 1];
}

TEST_CASE("two hundred communicators leave descriptors and mappings as they were") {
  const auto stores = loopback_stores(2);
  const auto make_and_use = [&] {
    const Group group =
        shared_memory_group(stores, {.timeout = 20s, .connect_timeout = 20s, .staging_bytes = 65'536});
    run_ranks(2, [&](int rank) {
      const CommunicationBuffer memory = group[static_cast<std::size_t>(rank)]->allocate(20'000);
      const TensorSpan all{.data = memory.data(), .count = 5000, .dtype = DType::f32};
      expect_equal(sum(*group[static_cast<std::size_t>(rank)], all), 3.0F, "the sum");
    });
  };
  make_and_use();
  const Resources before = resources();
  for (int i = 0; i < 200; ++i) make_and_use();
  CHECK(resources() == before);
}

TEST_CASE("a thousand all-reduces and buffers leave descriptors and mappings as they were") {
  const Group group = shared_memory_group(2, 20s);
  const auto use = [&](int times) {
    run_ranks(2, [&](int rank) {
      Communicator& communicator = *group[static_cast<std::size_t>(rank)];
      const Stream stream = host_device().make_stream();
      std::vector<float> own(2000, 1.0F);
      for (int i = 0; i < times; ++i) {
        const CommunicationBuffer memory = communicator.allocate(8000);
        communicator.all_reduce({.data = memory.data(), .count = 2000, .dtype = DType::f32}, ReduceOp::max,
                                stream);
        communicator.all_reduce({.data = own.data(), .count = 2000, .dtype = DType::f32}, ReduceOp::max,
                                stream);
        stream.ref().synchronize();
      }
    });
  };
  use(10);
  const Resources before = resources();
  use(1000);
  CHECK(resources() == before);
}

TEST_CASE("two communicators are used at once, from two threads") {
  const auto stores = loopback_stores(2);
  const SharedMemoryOptions options{.timeout = 20s, .connect_timeout = 20s};
  const Group first = shared_memory_group(stores, options);
  const Group second = shared_memory_group(stores, options);
  run_ranks(4, [&](int thread) {
    const Group& group = thread < 2 ? first : second;
    Communicator& communicator = *group[static_cast<std::size_t>(thread % 2)];
    const CommunicationBuffer memory = communicator.allocate(400'000);
    for (int i = 0; i < 100; ++i) {
      const std::size_t count = i % 2 == 0 ? 100'000 : 10;
      expect_equal(sum(communicator, {.data = memory.data(), .count = count, .dtype = DType::f32}), 3.0F,
                   "the sum");
    }
  });
}

TEST_CASE("ranks whose data lies in different buffers, or partly outside of them, get the right sums") {
  const Group group = shared_memory_group(3, 20s);
  run_ranks(3, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    const CommunicationBuffer first = communicator.allocate(40'000);
    const CommunicationBuffer second = communicator.allocate(40'000);
    std::vector<float> outside(10'000);
    const auto data_of = [&](const CommunicationBuffer& buffer, std::size_t offset = 0) {
      return TensorSpan{.data = buffer.data() + offset * 4, .count = 5000, .dtype = DType::f32};
    };
    const TensorSpan own{.data = outside.data(), .count = 5000, .dtype = DType::f32};
    expect_equal(sum(communicator, data_of(rank == 0 ? first : second)), 6.0F, "a sum over two buffers");
    expect_equal(sum(communicator, rank == 1 ? own : data_of(first)), 6.0F, "a sum with memory from outside");
    expect_equal(sum(communicator, data_of(first, static_cast<std::size_t>(rank) * 1001)), 6.0F,
                 "a sum at different offsets");
  });
}

TEST_CASE("a buffer lives longer than its communicator") {
  Group group = shared_memory_group(2, 20s);
  std::vector<CommunicationBuffer> buffers(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    buffers[r] = group[r]->allocate(100'000);
    std::fill_n(buffers[r].data(), 100'000, std::byte{5});
  });
  group[0].reset();
  group[1].reset();
  CHECK(std::all_of(buffers[0].data(), buffers[0].data() + 100'000,
                    [](std::byte b) { return b == std::byte{5}; }));
}

TEST_CASE("a rank that leaves is lost to the others") {
  Group group = shared_memory_group(2, 60s);
  group[1].reset();
  try {
    group[0]->barrier();
    FAIL("rank 1 has left");
  } catch (const PeerLost& lost) {
    CHECK(lost.rank() == 1);
  }
}

TEST_CASE("a program's forked helper that inherits shared memory leaves it alone", "[process]") {
  Group group = shared_memory_group(2, 20s);
  std::vector<CommunicationBuffer> buffers(2);
  run_ranks(2, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    buffers[r] = group[r]->allocate(40'000);
  });
  const auto sum_of = [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return sum(*group[r], {.data = buffers[r].data(), .count = 10'000, .dtype = DType::f32});
  };
  run_ranks(2, [&](int rank) { expect_equal(sum_of(rank), 3.0F, "the sum"); });
  ChildProcess helper = ChildProcess::run([&] {
    expect_error<CommunicationError>([&] { group[0]->barrier(); }, {"another process"});
    expect_error<CommunicationError>([&] { group[0]->allocate(8); }, {"another process"});
    group[0]->abort("from the helper");
    { const auto destroyed = std::move(buffers); }
    { const auto destroyed = std::move(group); }
    return 0;
  });
  const auto status = helper.wait(10s);
  REQUIRE(status);
  CHECK(*status == 0);
  for (const CommunicationBuffer& buffer : buffers) {
    CHECK(reinterpret_cast<const float*>(buffer.data())[9999] == 3.0F);  // its pages were not given back
  }
  run_ranks(2, [&](int rank) { expect_equal(sum_of(rank), 3.0F, "the sum"); });
}

}  // namespace
}  // namespace leat::test
