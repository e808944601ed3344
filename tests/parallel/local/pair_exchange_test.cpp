#include "leat/parallel/local/pair_exchange.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/groups.h"
#include "tests/parallel/support/ranks.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a send waits for its receive, though its number in the cell was used before") {
  constexpr int kNumbers = 32'768;  // then they repeat
  const Group group = local_group(2, 5s);
  run_ranks(2, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    const Stream stream = host_device().make_stream();
    std::int32_t value = rank;
    const TensorSpan span{.data = &value, .count = 1, .dtype = DType::i32};
    rank == 0 ? communicator.send(span, 1, stream) : communicator.recv(span, 0, stream);
    for (int i = 1; i < kNumbers; ++i)
      rank == 1 ? communicator.send(span, 0, stream) : communicator.recv(span, 1, stream);
    stream.ref().synchronize();
    expect_equal(value, 0, "what was sent there and back");
    if (rank == 1) return;
    const std::string error = kind_of_error([&] {
      communicator.send(span, 1, stream);  // rank 1 does not receive it
      stream.ref().synchronize();
    });
    expect(error.starts_with("PeerSilent 1: "), "PeerSilent, not \"" + error + "\"");
  });
}

TEST_CASE("a peer that leaves is not waited for by those who exchange with it") {
  for (const bool sends : {true, false}) {
    Group group = local_group(3, 60s);
    const auto errors = errors_of_ranks(2, [&](int rank) {
      if (rank == 1) return group[1].reset();
      const Stream stream = host_device().make_stream();
      float value = 0;
      const TensorSpan span{.data = &value, .count = 1, .dtype = DType::f32};
      sends ? group[0]->send(span, 1, stream) : group[0]->recv(span, 1, stream);
      stream.ref().synchronize();
    });
    INFO(errors[0]);
    CHECK(errors[0].find("but rank 1 of 3 left the group") != std::string::npos);
  }
}

TEST_CASE("ranks that do not take part do not wait") {
  const Group group = local_group(3, 20s);
  run_ranks(2, [&](int rank) {  // rank 2 calls nothing
    const Stream stream = host_device().make_stream();
    std::vector<double> values(300'000, rank == 0 ? 1.5 : 0);
    const TensorSpan span{.data = values.data(), .count = values.size(), .dtype = DType::f64};
    rank == 0 ? group[0]->send(span, 1, stream) : group[1]->recv(span, 0, stream);
    stream.ref().synchronize();
    expect(values == std::vector<double>(300'000, 1.5), "what rank 0 sent");
  });
}

TEST_CASE("what is sent is what the memory held when its stream came to the send") {
  const Group group = local_group(2, 20s);
  run_ranks(2, [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<std::int32_t> values(500'000);
    const TensorSpan span{.data = values.data(), .count = values.size(), .dtype = DType::i32};
    for (std::int32_t round = 1; round <= 20; ++round) {
      if (rank == 0) {
        host_device().enqueue(stream, [&values, round] { std::ranges::fill(values, round); });
        group[0]->send(span, 1, stream);
        host_device().enqueue(stream, [&values] { std::ranges::fill(values, -1); });
      } else {
        group[1]->recv(span, 0, stream);
        stream.ref().synchronize();
        expect(values == std::vector<std::int32_t>(500'000, round), "round " + std::to_string(round));
      }
    }
    stream.ref().synchronize();
  });
}

}  // namespace
}  // namespace leat::test
