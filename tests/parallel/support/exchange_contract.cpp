// The part of the contract that is about send() and recv().
#include <cstdint>

#include "tests/parallel/support/communicator_contract.h"
#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/on_all.h"

namespace leat::test::contract {
namespace {

using namespace std::chrono_literals;

// Every ordered pair in turn, in the same order on all ranks.
template <class Visit>
void for_each_pair(int ranks, Visit visit) {
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from != to) visit(from, to);
    }
  }
}

template <class T>
void send_around(Communicator& communicator, StreamRef stream, std::size_t count) {
  const int rank = communicator.rank();
  const auto value_of = [](int from, int to, std::size_t i) {
    return static_cast<T>(i % 101 + static_cast<std::size_t>(from * 7 + to));
  };
  for_each_pair(communicator.size(), [&](int from, int to) {
    if (rank != from && rank != to) return;
    std::vector<T> wanted(count);
    for (std::size_t i = 0; i < count; ++i) wanted[i] = value_of(from, to, i);
    DeviceValues<T> values(stream, rank == from ? wanted : std::vector<T>(count));
    if (rank == from) communicator.send(values.span(), to, stream);
    if (rank == to) communicator.recv(values.span(), from, stream);
    expect(values.read(stream) == wanted, fmt::format("{} elements from rank {} to {}", count, from, to));
  });
}

// Two ranks call what `call` does, and get errors that begin with `kind` and contain `text`.
void both_fail(const GroupMaker& make, std::chrono::milliseconds timeout, const std::string& kind,
               const std::string& text, const std::function<void(Communicator&, StreamRef)>& call) {
  const Group group = make(2, timeout);
  run_ranks(2, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    const Stream stream = communicator.device().make_stream();
    const std::string error = kind_of_error([&] {
      call(communicator, stream);
      stream.ref().synchronize();
    });
    expect(error.starts_with(kind) && error.find(text) != std::string::npos,
           fmt::format("{}with \"{}\", not {}", kind, text, error));
    expect(kind_of_error([&] { communicator.barrier(); }).starts_with(kind), "the same error again");
  });
}

}  // namespace

void every_rank_sends_to_every_other(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    for (const std::size_t count : {0, 1, 1000, 20'480, 40'961, 700'001}) {
      send_around<float>(communicator, stream, count);
      send_around<std::uint8_t>(communicator, stream, count);
    }
    send_around<std::int64_t>(communicator, stream, 100'003);
  });
}

void exchanges_keep_their_order_among_collectives(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef first) {
    const Stream second = communicator.device().make_stream();
    constexpr int kRounds = 12;
    constexpr std::size_t kCount = 70'001;  // more than one piece of staging memory in some groups
    const int n = communicator.size(), rank = communicator.rank();
    const auto stream_of = [&](int call) { return call % 2 == 0 ? first : second.ref(); };
    std::vector<DeviceValues<std::int64_t>> sums, passed;
    for (int i = 0; i < kRounds; ++i) {
      sums.emplace_back(stream_of(i), std::vector<std::int64_t>(kCount, rank + i));
      passed.emplace_back(stream_of(i + 1), std::vector<std::int64_t>(kCount, rank == 0 ? i + 1 : 0));
    }
    // The first rank's numbers pass from rank to rank, while the streams are mixed with sums.
    for (int i = 0; i < kRounds; ++i) {
      const auto round = static_cast<std::size_t>(i);
      communicator.all_reduce(sums[round].span(), ReduceOp::sum, stream_of(i));
      if (rank > 0) communicator.recv(passed[round].span(), rank - 1, stream_of(i + 1));
      if (rank + 1 < n) communicator.send(passed[round].span(), rank + 1, stream_of(i + 1));
    }
    for (int i = 0; i < kRounds; ++i) {
      const auto round = static_cast<std::size_t>(i);
      for (const std::int64_t value : sums[round].read(stream_of(i)))
        expect_equal(value, i * n + n * (n - 1) / 2, "a sum");
      for (const std::int64_t value : passed[round].read(stream_of(i + 1)))
        expect_equal(value, i + 1, fmt::format("what rank {} got in round {}", rank, i));
    }
  });
}

void exchanges_that_differ_are_disagreements(const GroupMaker& make) {
  std::vector<float> floats(100'000);
  std::vector<double> doubles(100);
  const TensorSpan many{.data = floats.data(), .count = 100'000, .dtype = DType::f32};
  const TensorSpan few{.data = floats.data(), .count = 100, .dtype = DType::f32};
  const TensorSpan wide{.data = doubles.data(), .count = 100, .dtype = DType::f64};
  const std::string kind = "Disagreement 0 1: ";
  both_fail(make, kPatience, kind, "recv #0 (100 f32 from rank 0)", [&](Communicator& own, StreamRef stream) {
    own.rank() == 0 ? own.send(many, 1, stream) : own.recv(few, 0, stream);
  });
  both_fail(make, kPatience, kind, "recv #0 (100 f64 from rank 1)", [&](Communicator& own, StreamRef stream) {
    own.rank() == 1 ? own.send(few, 0, stream) : own.recv(wide, 1, stream);
  });
  both_fail(make, kPatience, kind, "send #0 (100 f32 to rank 1)", [&](Communicator& own, StreamRef stream) {
    own.send(own.rank() == 0 ? few : many, 1 - own.rank(), stream);
  });
  std::vector<float> others(100);
  both_fail(make, kPatience, kind, "recv #0 (100 f32 from rank 1)", [&](Communicator& own, StreamRef stream) {
    own.recv(own.rank() == 0 ? few : TensorSpan{others.data(), 100, DType::f32}, 1 - own.rank(), stream);
  });
}

void a_peer_that_does_not_come_is_named(const GroupMaker& make) {
  std::vector<float> values(1000);
  const TensorSpan span{.data = values.data(), .count = values.size(), .dtype = DType::f32};
  for (const bool sends : {true, false}) {
    const Group group = make(3, 300ms);
    const Stream stream = host_device().make_stream();
    const std::string error = kind_of_error([&] {
      sends ? group[0]->send(span, 2, stream) : group[0]->recv(span, 2, stream);
      stream.ref().synchronize();
    });
    expect(error.starts_with("PeerSilent 2: "), "PeerSilent 2, not " + error);
    expect(error.find("waited 300 ms; missing: rank 2 of 3") != std::string::npos, "the wait in " + error);
    const std::string late = kind_of_error([&] { group[2]->barrier(); });
    expect(late.starts_with("PeerSilent 2: "), "the same for those that come late, not " + late);
  }
}

void abort_wakes_those_who_exchange(const GroupMaker& make) {
  const Group group = make(3, kPatience);
  const auto errors = errors_of_ranks(3, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    communicator.barrier();
    if (rank == 2) return communicator.abort("the disk is full");
    const Stream stream = communicator.device().make_stream();
    std::vector<float> values(1000);
    const TensorSpan span{.data = values.data(), .count = values.size(), .dtype = DType::f32};
    rank == 0 ? communicator.send(span, 2, stream) : communicator.recv(span, 2, stream);
    stream.ref().synchronize();
  });
  for (std::size_t rank = 0; rank < 2; ++rank) {
    expect(errors[rank].find("the disk is full") != std::string::npos,
           "the reason, not \"" + errors[rank] + "\"");
  }
}

}  // namespace leat::test::contract
