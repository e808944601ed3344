// Communicators among some of the ranks of a world.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "leat/parallel/local_group.h"
#include "leat/parallel/world.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

using Ints = std::vector<int>;

// Runs the ranks of a world as threads.
void run_world(int ranks, const std::function<void(const World&)>& body,
               std::chrono::milliseconds timeout = 20s) {
  const std::uint16_t port = free_port();
  run_ranks(ranks, [&](int rank) {
    const World world(loopback_world(rank, ranks, port), timeout);
    body(world);
    world.compare_settings({});  // rank 0 serves the store until all have come here
  });
}

double sum_over(Communicator& communicator, double value) {
  const Stream stream = communicator.device().make_stream();
  communicator.all_reduce({&value, 1, DType::f64}, ReduceOp::sum, stream);
  stream.ref().synchronize();
  return value;
}

TEST_CASE("disjoint groups are made at the same time, and do not know of each other") {
  run_world(5, [](const World& world) {
    const bool low = world.rank() < 2;
    const auto group = world.group(low ? Ints{0, 1} : Ints{2, 3, 4});
    expect_equal(group->size(), low ? 2 : 3, "size()");
    expect_equal(group->rank(), low ? world.rank() : world.rank() - 2, "rank()");
    expect_equal(group->engine(), std::string("shared memory"), "engine()");
    expect_equal(sum_over(*group, world.rank()), low ? 1.0 : 9.0, "the sum of the group");
  });
}

TEST_CASE("the ranks of a group are numbered in the order given") {
  run_world(4, [](const World& world) {
    if (world.rank() == 2) return;
    const Ints list{3, 0, 1};
    const auto group = world.group(list);
    std::vector<int> ranks(3, -1);
    const auto own = static_cast<std::size_t>(group->rank());
    ranks[own] = world.rank();
    const Stream stream = host_device().make_stream();
    group->all_gather({&ranks[own], 1, DType::i32}, {ranks.data(), 3, DType::i32}, stream);
    stream.ref().synchronize();
    expect(ranks == list, "the ranks of the world in the order of the group");
  });
}

TEST_CASE("a group of one rank needs nobody, also in a world of one") {
  run_world(2, [](const World& world) {
    const auto alone = world.group({world.rank()});
    expect_equal(alone->size(), 1, "size()");
    expect_equal(sum_over(*alone, 5), 5.0, "the sum of one");
  });
  const World world{WorldSettings()};
  CHECK(world.group({0})->size() == 1);
  expect_error<ArgumentError>([&] { world.group({1}); }, {"rank 1 is no rank of 1"});
}

TEST_CASE("groups that overlap are used by threads at the same time") {
  run_world(3, [](const World& world) {
    const int rank = world.rank();
    std::unique_ptr<Communicator> first, second;
    if (rank < 2) first = world.group({0, 1});
    if (rank > 0) second = world.group({2, 1});
    const auto sum_often = [](Communicator* group, double value, double wanted) {
      for (int i = 0; group != nullptr && i < 500; ++i)
        expect_equal(sum_over(*group, value), wanted, "a sum");
    };
    const auto errors = errors_of_ranks(2, [&](int thread) {
      if (thread == 0) sum_often(first.get(), rank + 1, 3);
      if (thread == 1) sum_often(second.get(), rank + 10, 23);
    });
    for (const std::string& error : errors) expect(error.empty(), "no error, not " + error);
  });
}

TEST_CASE("two groups of the same ranks are independent, even if one fails") {
  run_world(2, [](const World& world) {
    const auto first = world.group({0, 1}), second = world.group({0, 1}), third = world.group({1, 0});
    expect_equal(third->rank(), 1 - world.rank(), "the rank in the other order");
    double sent = world.rank();
    const Stream stream = host_device().make_stream();
    const TensorSpan span{.data = &sent, .count = 1, .dtype = DType::f64};
    world.rank() == 0 ? first->send(span, 1, stream) : first->recv(span, 0, stream);
    expect_equal(sum_over(*second, 1), 2.0, "a sum beside an exchange");
    stream.ref().synchronize();
    expect_equal(sent, 0.0, "what rank 0 sent");
    if (world.rank() == 0) first->abort("not needed");
    expect(!kind_of_error([&] { first->barrier(); }).empty(), "the first group to have ended");
    expect_equal(sum_over(*second, 2), 4.0, "a sum after the first group has ended");
    expect_equal(sum_over(*third, 3), 6.0, "a sum in the other order");
  });
}

TEST_CASE("lists that are no groups are refused") {
  const std::uint16_t port = free_port();
  run_ranks(2, [&](int rank) {
    const World world(loopback_world(rank, 2, port), 20s);
    const auto refused = [&](const Ints& list) {
      const std::string error = kind_of_error([&] { world.group(list); });
      expect(error.starts_with("exception: "), "an ArgumentError, not " + error);
      return error;
    };
    expect(refused({}).find("at least one rank") != std::string::npos, "empty");
    expect(refused({0, 1, 0}).find("rank 0 appears twice") != std::string::npos, "twice");
    expect(refused({0, 1, 2}).find("rank 2 is no rank of 2") != std::string::npos, "too large");
    expect(refused({0, -1}).find("rank -1 is no rank of 2") != std::string::npos, "negative");
    expect(refused({1 - rank}).find("but is none of them") != std::string::npos, "not this rank");
    expect_equal(sum_over(*world.group({0, 1}), 1), 2.0, "a sum in a group that is right");
  });
}

TEST_CASE("ranks that make different groups of each other disagree at once") {
  const auto start = std::chrono::steady_clock::now();
  run_world(
      3,
      [](const World& world) {
        const Ints list = world.rank() == 0 ? Ints{0, 1} : world.rank() == 1 ? Ints{1, 0} : Ints{2};
        const std::string error = kind_of_error([&] { world.group(list); });
        if (world.rank() == 2) return expect(error.empty(), "no error, not " + error);
        expect(error.starts_with("Disagreement 0 1: "), "Disagreement, not " + error);
        expect(error.find("a group of ranks 0,1") != std::string::npos, "rank 0's list in " + error);
        expect(error.find("of ranks 1,0") != std::string::npos, "rank 1's list in " + error);
      },
      60s);
  CHECK(std::chrono::steady_clock::now() - start < 30s);
}

TEST_CASE("a rank that makes another group first is waited for") {
  run_world(3, [](const World& world) {
    if (world.rank() == 0) {
      std::this_thread::sleep_for(300ms);  // the others come to their groups first
      expect_equal(world.group({0, 1})->size(), 2, "the first group");
    }
    if (world.rank() == 1) {
      expect_equal(world.group({0, 1})->size(), 2, "the first group");
      expect_equal(world.group({1, 2})->size(), 2, "the second group");
    }
    if (world.rank() == 2) expect_equal(world.group({1, 2})->size(), 2, "the second group");
  });
}

TEST_CASE("a rank that does not come to a group is named, with what it did instead") {
  run_world(
      3,
      [](const World& world) {
        if (world.rank() == 2) return;
        const std::string error = kind_of_error([&] {
          world.group(world.rank() == 0 ? Ints{0, 1} : Ints{1});
        });
        if (world.rank() == 1) return;
        expect(error.starts_with("PeerSilent 1: "), "PeerSilent, not " + error);
        expect(error.find("for the group of ranks 0,1; missing: rank 1 of 3") != std::string::npos, error);
      },
      2s);
  run_world(
      4,
      [](const World& world) {
        const int rank = world.rank();
        if (rank == 3) return;
        const std::string error = kind_of_error([&] { world.group(rank == 0 ? Ints{0, 1} : Ints{1, 2}); });
        if (rank != 0) return expect(error.empty(), "no error, not " + error);
        expect(error.find("rank 1 has last made a group of ranks 1,2") != std::string::npos, error);
      },
      2s);
}

// Each rank is a process that makes its group, reports "ready", and sums for ever until something fails, which it
// reports. A rank that has no group waits to be killed.
std::vector<RankProcess> start_groups(const std::vector<Ints>& groups, int ranks) {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> processes;
  processes.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    processes.emplace_back(rank, [&, ranks](int own, const RankProcess::Report& report) {
      const World world(loopback_world(own, ranks, port), 20s);
      const auto list = std::ranges::find_if(
          groups, [&](const Ints& group) { return std::ranges::find(group, own) != group.end(); });
      const auto group = world.group(*list);
      report("ready");
      const std::string error = kind_of_error([&] {
        for (int i = 0;; ++i) {
          sum_over(*group, 1);
          if (i == 1'000'000) return;
        }
      });
      report(error);
      ::_exit(0);  // the store would wait for the ranks that were killed
    });
  }
  return processes;
}

TEST_CASE("a rank that is killed ends its own group, and no other", "[process]") {
  for (const int victim : {0, 3}) {  // rank 0 also serves the store
    INFO("victim " << victim);
    auto processes = start_groups({{1, 0}, {2, 3}}, 4);
    for (RankProcess& process : processes) REQUIRE(process.read(30s) == "ready");
    processes[static_cast<std::size_t>(victim)].kill(SIGKILL);
    const int bereft = victim == 0 ? 1 : 2;
    const std::string error = processes[static_cast<std::size_t>(bereft)].read(15s);
    INFO(error);
    CHECK(error.starts_with("PeerLost 1: "));  // rank 1 of its group, in either case
    const int survivor = victim == 0 ? 2 : 0;
    CHECK_THROWS(processes[static_cast<std::size_t>(survivor)].read(1500ms));  // no report: it goes on
    for (RankProcess& process : processes) process.kill(SIGKILL);
  }
}

// Averages whose last bits depend on the order of the ranks.
std::vector<float> averages(Communicator& group, int brings) {
  std::vector<float> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 7919 + static_cast<std::size_t>(brings) * 104'729) % 100'003) / 3;
  const Stream stream = host_device().make_stream();
  group.all_reduce({values.data(), values.size(), DType::f32}, ReduceOp::average, stream);
  stream.ref().synchronize();
  return values;
}

std::string digest_of(const std::vector<float>& values) {
  return std::to_string(std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}));
}

TEST_CASE("a group of processes has the bits of as many threads", "[process]") {
  const Ints list{3, 1, 2};
  const std::uint16_t port = free_port();
  std::vector<RankProcess> processes;
  for (int rank = 0; rank < 4; ++rank) {
    processes.emplace_back(rank, [&](int own, const RankProcess::Report& report) {
      const World world(loopback_world(own, 4, port), 20s);
      if (own != 0) {
        const auto group = world.group(list);
        report(digest_of(averages(*group, group->rank())));
      }
      world.compare_settings({});  // rank 0 serves the store until all have come here
    });
  }
  const auto threads = make_local_group(3);
  std::vector<std::vector<float>> wanted(3);
  run_ranks(3, [&](int rank) {
    wanted[static_cast<std::size_t>(rank)] = averages(*threads[static_cast<std::size_t>(rank)], rank);
  });
  for (std::size_t rank = 1; rank < 4; ++rank) CHECK(processes[rank].read(30s) == digest_of(wanted[0]));
}

}  // namespace
}  // namespace leat::test
