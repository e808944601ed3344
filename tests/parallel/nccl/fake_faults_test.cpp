// Ranks that fail, hang, stay away or do something else in each call of NCCL, on fake GPUs: every rank gets an error,
// within a bound.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "leat/loader/os/child_process.h"
#include "tests/cuda_fake/fake_cuda.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/nccl/nccl_groups.h"
#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using cuda_fake::fake_nccl;
using Clock = std::chrono::steady_clock;
using Strings = std::vector<std::string>;

constexpr int kRanks = 3;
constexpr auto kBound = 15s;  // of what takes a second or two on a machine that does nothing else

// Ends what the test asked of the fake, whatever becomes of the test.
struct Fake {
  Fake() { fake_nccl().reset(); }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
  ~Fake() {
    fake_nccl().reset();
    cuda_fake::take_violations();
  }
};

// A group whose collectives may take so long, and the streams and memory of its ranks.
class Fixture {
 public:
  explicit Fixture(std::chrono::milliseconds collective_timeout = 20s,
                   std::chrono::milliseconds timeout = 20s)
      : stores_(loopback_stores(kRanks)), group_(kRanks) {
    run_ranks(kRanks, [&](int rank) {
      group_[at(rank)] =
          make_nccl_communicator(stores_[at(rank)], cuda_device(rank),
                                 {.timeout = timeout, .collective_timeout = collective_timeout});
    });
    for (int rank = 0; rank < kRanks; ++rank) {
      streams_.push_back(cuda_device(rank).make_stream());
      values_.emplace_back(streams_.back(), std::vector<float>(8, static_cast<float>(rank)));
      gathered_.emplace_back(streams_.back(), std::vector<float>(std::size_t{8} * kRanks));
    }
  }

  Communicator& operator[](int rank) { return *group_[at(rank)]; }
  StreamRef stream(int rank) { return streams_[at(rank)]; }
  TensorSpan values(int rank) { return values_[at(rank)].span(); }

  void call(const std::string& function, int rank) {
    Communicator& communicator = *group_[at(rank)];
    if (function == "ncclAllReduce") communicator.all_reduce(values(rank), ReduceOp::sum, stream(rank));
    if (function == "ncclBroadcast") communicator.broadcast(values(rank), 1, stream(rank));
    if (function == "ncclAllGather")
      communicator.all_gather(values(rank), gathered_[at(rank)].span(), stream(rank));
    if (function == "barrier") communicator.barrier();
  }

  // Runs the body of each rank. Returns the kind of the error that each of them ends with.
  static Strings kinds(const std::function<void(int)>& body) {
    Strings kinds(kRanks);
    const auto start = Clock::now();
    run_ranks(kRanks, [&](int rank) { kinds[at(rank)] = kind_of_error([&] { body(rank); }); });
    CHECK(Clock::now() - start < kBound);
    return kinds;
  }

  // After a failure, each later use of the communicator throws the same.
  void check_stays_failed(int rank, const std::string& kind) {
    INFO("rank " << rank);
    const std::string type = kind.substr(0, kind.find(':'));
    for (const char* function : {"ncclAllReduce", "ncclBroadcast", "ncclAllGather", "barrier"})
      CHECK(kind_of_error([&] { call(function, rank); }).find(type) == 0);
    CHECK(kind_of_error([&] { (*this)[rank].throw_if_failed(); }).find(type) == 0);
  }

  void end(int rank) { group_[at(rank)].reset(); }
  void abort() {
    for (int rank = 0; rank < kRanks; ++rank) group_[at(rank)]->abort("the test has ended");
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  Stores stores_;
  std::vector<Stream> streams_;
  std::vector<DeviceValues<float>> values_, gathered_;
  Group group_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an error of one rank's collective ends that collective on all ranks") {
  const std::string function = GENERATE("ncclAllReduce", "ncclBroadcast", "ncclAllGather");
  const Fake fake;
  Fixture ranks;
  fake_nccl().fail_at(function, 1, ncclInternalError);
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call(function, rank);
    ranks.stream(rank).synchronize();
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string& kind = kinds[static_cast<std::size_t>(rank)];
    INFO(kind);
    CHECK(kind.find("CommunicationError: rank 1: " + function + ": ") == 0);
    ranks.check_stays_failed(rank, kind);
  }
}

TEST_CASE("a rank that hangs in a collective's call ends it on all ranks") {
  const std::string function = GENERATE("ncclAllReduce", "ncclBroadcast", "ncclAllGather");
  const Fake fake;
  Fixture ranks(20s, 1000ms);
  fake_nccl().fail_at(function, 1, ncclInProgress);
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call(function, rank);
    ranks.stream(rank).synchronize();
  });
  for (const std::string& kind : kinds) {
    INFO(kind);
    CHECK(contains(kind, "rank 1: " + function + " did not end within 1000 ms"));
  }
}

TEST_CASE("a rank that fails or hangs in a barrier ends it on all ranks") {
  const ncclResult_t fault = GENERATE(ncclSystemError, ncclInProgress);
  const Fake fake;
  Fixture ranks(20s, 1000ms);
  fake_nccl().fail_at("ncclAllReduce", 1, fault);
  for (const std::string& kind : Fixture::kinds([&](int rank) { ranks.call("barrier", rank); })) {
    INFO(kind);
    CHECK_FALSE(kind.empty());
    CHECK(contains(kind, "CommunicationError"));
  }
}

TEST_CASE("an exchange to which the other rank does not come ends on all ranks") {
  const Fake fake;
  Fixture ranks(500ms);
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank == 0) ranks[0].send(ranks.values(0), 1, ranks.stream(0));
    if (rank != 0) ranks.call("barrier", rank);
    ranks.stream(rank).synchronize();
  });
  for (const std::string& kind : kinds) {
    INFO(kind);
    CHECK(kind.find("PeerSilent") == 0);
    CHECK(contains(kind, "waited 500 ms in send #0"));
    CHECK(contains(kind, "rank 1 of 3 did not come"));
  }
}

TEST_CASE("an asynchronous error of one rank ends the collectives of all ranks") {
  const Fake fake;
  Fixture ranks;
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank != 1) ranks.call("ncclAllReduce", rank);
    if (rank == 1) fake_nccl().fail_at("ncclCommGetAsyncError", 1, ncclInternalError);
    if (rank != 1) ranks.stream(rank).synchronize();
  });
  for (const int rank : {0, 2}) {
    INFO(kinds[static_cast<std::size_t>(rank)]);
    CHECK(contains(kinds[static_cast<std::size_t>(rank)], "rank 1: ncclCommGetAsyncError"));
  }
  CHECK(kinds[1].empty());
  ranks.check_stays_failed(1, "CommunicationError");
}

TEST_CASE("an error or a hang of one rank at the start ends the communicator on all ranks") {
  const ncclResult_t fault = GENERATE(ncclSystemError, ncclInProgress);
  const Fake fake;
  fake_nccl().fail_at("ncclCommInitRankConfig", 1, fault);
  const Stores stores = loopback_stores(kRanks);
  const Strings kinds = Fixture::kinds([&](int rank) {
    const auto communicator =
        make_nccl_communicator(stores[static_cast<std::size_t>(rank)], cuda_device(rank), {.timeout = 2s});
    communicator->barrier();
  });
  for (const std::string& kind : kinds) {
    INFO(kind);
    CHECK(contains(kind, "rank 1: ncclCommInitRankConfig"));
  }
}

TEST_CASE("a rank that does not come to a communicator is named by those that do") {
  const Fake fake;
  const Stores stores = loopback_stores(kRanks);
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank != 2)
      make_nccl_communicator(stores[static_cast<std::size_t>(rank)], cuda_device(rank), {.timeout = 1500ms});
  });
  for (const int rank : {0, 1}) {
    INFO(kinds[static_cast<std::size_t>(rank)]);
    CHECK(kinds[static_cast<std::size_t>(rank)].find("PeerSilent 2: ") == 0);
  }
}

TEST_CASE("a rank that does not come to a collective is named on all ranks, with its last call") {
  const std::string function = GENERATE("ncclAllReduce", "ncclBroadcast", "ncclAllGather");
  const Fake fake;
  Fixture ranks(1000ms);
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
    if (rank != 2) ranks.call(function, rank);
    if (rank != 2) ranks.stream(rank).synchronize();
  });
  CHECK(kinds[2].empty());
  for (const int rank : {0, 1}) {
    const std::string& kind = kinds[static_cast<std::size_t>(rank)];
    INFO(kind);
    CHECK(
        kind.find(
            "PeerSilent 2: waited 1000 ms: rank 2 is at all_reduce #0 (sum of 8 f32), the others wait in ") ==
        0);
    ranks.check_stays_failed(rank, kind);
  }
}

TEST_CASE("a rank that does not come to a barrier is named on all ranks") {
  const Fake fake;
  Fixture ranks(20s, 1000ms);
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank != 0) ranks.call("barrier", rank);
  });
  for (const int rank : {1, 2}) {
    INFO(kinds[static_cast<std::size_t>(rank)]);
    CHECK(kinds[static_cast<std::size_t>(rank)] ==
          "PeerSilent 0: waited 1000 ms: rank 0 has made no call, the others wait in barrier #0");
  }
}

TEST_CASE("a rank that calls something else is a disagreement on all ranks, with both calls") {
  const Fake fake;
  Fixture ranks(1000ms);
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call(rank == 1 ? "ncclBroadcast" : "ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string& kind = kinds[static_cast<std::size_t>(rank)];
    CHECK(kind ==
          "Disagreement 0 1: the ranks disagree: rank 0 calls all_reduce #0 (sum of 8 f32), rank 1 calls "
          "broadcast #0 "
          "(8 f32 from rank 1)");
    ranks.check_stays_failed(rank, kind);
  }
}

TEST_CASE("a rank that destroys its communicator while the others still use theirs is lost on them") {
  const Fake fake;
  Fixture ranks(1000ms);
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
    if (rank == 1) return ranks.end(1);
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
  });
  CHECK(kinds[1].empty());
  for (const int rank : {0, 2}) {
    INFO(kinds[static_cast<std::size_t>(rank)]);
    CHECK(kinds[static_cast<std::size_t>(rank)].find("PeerLost 1: waited 1000 ms in all_reduce #1") == 0);
  }
}

TEST_CASE("a GPU that hangs is no rank's fault, and ends the collective on all ranks") {
  const Fake fake;
  Fixture ranks(1000ms);
  fake_nccl().dead_rank = 1;
  const Strings kinds = Fixture::kinds([&](int rank) {
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
  });
  for (const std::string& kind : kinds) {
    INFO(kind);
    CHECK(contains(kind,
                   "all_reduce #0 (sum of 8 f32) did not end within 1000 ms, though all ranks have called"));
  }
}

TEST_CASE("a rank that calls abort ends the collectives of the others within two seconds, with its reason") {
  const Fake fake;
  Fixture ranks;
  const auto start = Clock::now();
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank == 1) return ranks[1].abort("the disk is full");
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
  });
  CHECK(Clock::now() - start < 2s);
  for (const int rank : {0, 2}) {
    CHECK(kinds[static_cast<std::size_t>(rank)] == "CommunicationError: rank 1: the disk is full");
  }
}

TEST_CASE("a rank that fails or hangs when it destroys its communicator does so within the limit") {
  const ncclResult_t fault = GENERATE(ncclSystemError, ncclInProgress);
  const Fake fake;
  Fixture ranks(20s, 1000ms);
  fake_nccl().fail_at("ncclCommFinalize", 1, fault);
  Fixture::kinds([&](int rank) {
    ranks.call("ncclAllReduce", rank);
    ranks.stream(rank).synchronize();
    ranks.end(rank);
  });
  CHECK(fake_nccl().aborted == 1);
  CHECK(fake_nccl().destroyed == 2);
}

TEST_CASE("an abort that fails or hangs lets the streams go on, and is not waited for long") {
  const ncclResult_t fault = GENERATE(ncclSystemError, ncclInProgress);
  const Fake fake;
  Fixture ranks(1000ms);
  fake_nccl().fail_at("ncclCommAbort", 0, fault);
  const Strings kinds = Fixture::kinds([&](int rank) {
    if (rank != 2) ranks.call("ncclAllReduce", rank);
    if (rank != 2) ranks.stream(rank).synchronize();
    if (rank != 2) ranks.end(rank);
  });
  for (const int rank : {0, 1}) CHECK(kinds[static_cast<std::size_t>(rank)].find("PeerSilent 2: ") == 0);
}

TEST_CASE("a forked helper that inherits communicators over NCCL leaves them alone", "[process]") {
  const Fake fake;
  Fixture ranks;
  ranks.call("ncclAllReduce", 0);  // is followed while the process forks
  ChildProcess helper = ChildProcess::run([&] {
    for (const char* function : {"ncclAllReduce", "barrier"})
      expect_error<CommunicationError>([&] { ranks.call(function, 0); }, {"another process"});
    expect_error<CommunicationError>([&] { ranks[0].throw_if_failed(); }, {"another process"});
    ranks.end(0);
    return 0;
  });
  const auto status = helper.wait(10s);
  REQUIRE(status);
  CHECK(*status == 0);
  for (const int rank : {1, 2}) ranks.call("ncclAllReduce", rank);
  for (int rank = 0; rank < kRanks; ++rank) ranks.stream(rank).synchronize();
}

TEST_CASE("communicators that have failed leave no thread behind") {
  const Fake fake;
  cuda_device(0).make_stream();  // starts the fake's threads
  const std::size_t before = threads_of_process();
  {
    Fixture ranks;
    ranks.abort();
    CHECK(threads_of_process() > before);
  }
  const auto end = Clock::now() + 10s;  // a thread is still there for a moment when its work is done
  while (threads_of_process() > before && Clock::now() < end) std::this_thread::sleep_for(1ms);
  CHECK(threads_of_process() <= before);  // earlier tests may have left threads that have ended meanwhile
}

}  // namespace
}  // namespace leat::test
