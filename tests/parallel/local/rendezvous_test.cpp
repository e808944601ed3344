#include "leat/parallel/local/rendezvous.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <thread>

#include "leat/parallel/communicator.h"
#include "leat/parallel/local/local_engine.h"
#include "tests/parallel/support/ranks.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

const Failure kStop{.kind = Failure::Kind::other, .ranks = {}, .text = "stop"};

const Failure kDead{.kind = Failure::Kind::peer_lost, .ranks = {2}, .text = "rank 2 has ended"};

TEST_CASE("a round that has begun is carried out on every rank, though the rendezvous fails at once") {
  int begun_elsewhere = 0;
  for (int round = 0; round < 500; ++round) {
    LocalMeeting meeting(2);
    Rendezvous first(meeting.memory(), 0, {.timeout = 20s, .find_problem = {}});
    Rendezvous last(meeting.memory(), 1, {.timeout = 20s, .find_problem = {}});
    std::atomic<bool> waiting{false};
    std::string error;
    std::jthread other([&] {
      try {
        waiting = true;
        first.arrive({});
        first.depart();
      } catch (const CommunicationError& failure) {
        error = failure.what();
      }
    });
    while (!waiting || meeting.memory().cell(0).arrivals.load() == 0) std::this_thread::yield();
    last.arrive({});  // the round begins here
    last.fail(kStop);
    last.depart();  // hangs, where the other rank does not come
    other.join();
    CHECK(error.empty());
    begun_elsewhere += error.empty() ? 1 : 0;
  }
  CHECK(begun_elsewhere == 500);
}

TEST_CASE("a failed rendezvous begins no further round") {
  LocalMeeting meeting(1);
  Rendezvous rendezvous(meeting.memory(), 0, {.timeout = 20s, .find_problem = {}});
  rendezvous.arrive({});
  rendezvous.fail(kStop);
  rendezvous.depart();
  CHECK_THROWS_AS(rendezvous.arrive({}), CommunicationError);
}

TEST_CASE("the first failure of a rendezvous stays its reason, though a rank leaves behind it") {
  LocalMeeting meeting(2);
  Rendezvous here(meeting.memory(), 0, {.timeout = 1ms, .find_problem = {}});
  Rendezvous absent(meeting.memory(), 1, {.timeout = 1ms, .find_problem = {}});
  CHECK_THROWS_AS(here.arrive({}), PeerSilent);
  absent.leave();
  expect_error<PeerSilent>([&] { here.arrive({}); }, {"waited 1 ms; missing: rank 1 of 2"});
}

TEST_CASE("a dead rank is noticed long before the timeout") {
  LocalMeeting meeting(3);
  Rendezvous rendezvous(meeting.memory(), 0,
                        {.timeout = 600s, .find_problem = [] { return std::optional(kDead); }});
  const auto before = std::chrono::steady_clock::now();
  try {
    rendezvous.arrive({});
    FAIL("two ranks are missing");
  } catch (const PeerLost& lost) {
    CHECK(lost.rank() == 2);
  }
  CHECK(std::chrono::steady_clock::now() - before < 1s);
}

TEST_CASE(
    "every rank sees the calls and the data of all ranks, in many rounds and without a second meeting") {
  constexpr int kRanks = 4;
  constexpr int kRounds = 5000;
  LocalMeeting meeting(kRanks);
  run_ranks(kRanks, [&](int rank) {
    Rendezvous rendezvous(meeting.memory(), rank, {.timeout = 20s, .find_problem = {}});
    for (int round = 0; round < kRounds; ++round) {
      const std::array<int, 2> mine{round, rank};
      rendezvous.arrive({.call = {.number = static_cast<std::uint64_t>(round)}},
                        std::as_bytes(std::span(mine)));
      for (int other = 0; other < kRanks; ++other) {
        std::array<int, 2> theirs;
        std::memcpy(theirs.data(), rendezvous.data_of(other), sizeof theirs);
        expect_equal(theirs[0], round, "the round of another rank");
        expect_equal(theirs[1], other, "the other rank");
        expect_equal(rendezvous.call_of(other).call.number, static_cast<std::uint64_t>(round), "its call");
      }
    }
  });
}

TEST_CASE(
    "a failure reaches the other ranks with its type, its ranks and a text that is cut if it is too long") {
  LocalMeeting meeting(70);
  Rendezvous first(meeting.memory(), 0, {.timeout = 20s, .find_problem = {}});
  Rendezvous last(meeting.memory(), 69, {.timeout = 20s, .find_problem = {}});
  last.fail({.kind = Failure::Kind::peer_silent, .ranks = {3, 64, 68}, .text = std::string(10'000, 'x')});
  try {
    first.arrive({});
    FAIL("the rendezvous has failed");
  } catch (const PeerSilent& silent) {
    CHECK(silent.ranks() == std::vector<int>{3, 64, 68});
    CHECK(std::string(silent.what()) == std::string(FailureRecord::kTextBytes, 'x'));
  }
}

}  // namespace
}  // namespace leat::test
