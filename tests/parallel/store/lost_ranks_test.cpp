// What the store's server and its clients know about ranks that are gone.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/fair_mutex.h"
#include "leat/parallel/store/store_protocol.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A process that connects as a rank, reports it, and waits to be killed, or ends as `ends` says.
RankProcess connected_rank(
    int rank, int ranks, std::uint16_t port, std::function<void()> ends = [] { ::pause(); }) {
  return RankProcess(rank, [=](int own, const RankProcess::Report& report) {
    const TcpStore store(loopback_world(own, ranks, port), 10s);
    report("connected");
    ends();
  });
}

TEST_CASE("the server lists ranks that died, but not those that said goodbye", "[process]") {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> others;  // forked before the server's thread exists
  others.push_back(connected_rank(1, 4, port, [] {}));
  others.push_back(connected_rank(2, 4, port));
  others.push_back(connected_rank(3, 4, port));
  TcpStore store(loopback_world(0, 4, port), 10s);
  for (RankProcess& other : others) CHECK(other.read(10s) == "connected");
  CHECK(others[0].wait() == 0);
  CHECK_FALSE(store.try_get(kLostRanksKey, 100ms));
  others[2].kill(SIGKILL);
  CHECK(store.get(kLostRanksKey, 5s) == "3");
  others[1].kill(SIGKILL);
  const auto end = Clock::now() + 5s;
  while (store.get(kLostRanksKey) != "2 3" && Clock::now() < end) std::this_thread::sleep_for(1ms);
  CHECK(store.get(kLostRanksKey) == "2 3");
  CHECK(store.lost_ranks() == std::vector<int>{2, 3});
  const auto group = [&](std::vector<int> ranks) { return store.group(ranks, "some")->lost_ranks(); };
  CHECK(group({3, 0, 1}) == std::vector<int>{0});  // in the group's numbers
  CHECK(group({1, 0}).empty());
  RankProcess again = connected_rank(3, 4, port);
  CHECK(again.read(10s) == "connected");
  CHECK(store.get(kLostRanksKey) == "2");
}

TEST_CASE("a rank that outlives rank 0 learns that rank 0 is lost, again and again", "[process]") {
  const std::uint16_t port = free_port();
  RankProcess server = connected_rank(0, 2, port);
  TcpStore store(loopback_world(1, 2, port), 10s);
  CHECK(server.read(10s) == "connected");
  server.kill(SIGKILL);
  server.wait();
  CHECK(kind_of_error([&] { store.get("never", 5s); }).find("PeerLost 0: rank 1: the store of rank 0") == 0);
  CHECK(kind_of_error([&] { store.set("a", "b"); }).find("PeerLost 0: rank 1: the connection") == 0);
}

TEST_CASE("a rank 0 that is stopped is silent", "[slow]") {
  const std::uint16_t port = free_port();
  RankProcess server = connected_rank(0, 2, port);
  TcpStore store(loopback_world(1, 2, port), 10s);
  CHECK(server.read(10s) == "connected");
  server.kill(SIGSTOP);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(server.pid()), &info, WSTOPPED | WNOWAIT) == 0);
  const std::string kind = kind_of_error([&] { store.set("a", "b"); });
  INFO(kind);
  CHECK(kind.find("PeerSilent 0: rank 1: the store of rank 0") == 0);
}

TEST_CASE("a thread that waits for a key lets the calls of other threads pass") {
  TcpStore store(loopback_world(0, 1), 10s);
  auto waiting = std::async(std::launch::async, [&] { return store.get("late", 20s); });
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    store.set("other", "x");
    CHECK(Clock::now() - start < 2s);
  }
  CHECK(waiting.wait_for(0s) == std::future_status::timeout);
  store.set("late", "here");
  CHECK(waiting.get() == "here");
}

TEST_CASE("a fair mutex lets the thread pass that waits, though another one locks it again at once") {
  FairMutex mutex;
  std::atomic<bool> has_passed = false;
  mutex.lock();
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    has_passed = true;
  });
  const auto end = Clock::now() + 10s;
  while (!has_passed && Clock::now() < end) {
    mutex.unlock();
    mutex.lock();
  }
  CHECK(has_passed);
  mutex.unlock();
  other.join();
}

}  // namespace
}  // namespace leat::test
