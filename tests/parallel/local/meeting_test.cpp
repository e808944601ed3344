#include "leat/parallel/local/meeting.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>

#include "leat/parallel/communicator.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a round that has begun is carried out on every rank, though the meeting is poisoned at once") {
  int begun_elsewhere = 0;
  for (int round = 0; round < 500; ++round) {
    Meeting meeting(2, 20s);
    const CollectiveCall call{};
    std::atomic<bool> waiting{false};
    std::string error;
    std::jthread other([&] {
      try {
        waiting = true;
        meeting.meet(0, call);
        meeting.part();
      } catch (const CommunicationError& failure) {
        error = failure.what();
      }
    });
    while (!waiting) std::this_thread::yield();
    meeting.meet(1, call);  // the last to come: the round begins here
    meeting.poison("stop");
    meeting.part();  // hangs, where the other rank does not come
    other.join();
    CHECK(error.empty());
    begun_elsewhere += error.empty() ? 1 : 0;
  }
  CHECK(begun_elsewhere == 500);
}

TEST_CASE("a poisoned meeting begins no further round") {
  Meeting meeting(1, 20s);
  meeting.meet(0, {});
  meeting.poison("stop");
  meeting.part();
  CHECK_THROWS_AS(meeting.meet(0, {}), CommunicationError);
}

TEST_CASE("the first failure of a meeting stays its reason, though a rank leaves behind it") {
  Meeting meeting(2, 1ms);
  CHECK_THROWS_AS(meeting.meet(0, {}), CommunicationError);
  meeting.leave(1);
  test::expect_error<CommunicationError>([&] { meeting.meet(0, {}); }, {"waited 1 ms; missing: rank 1 of 2"});
}

}  // namespace
}  // namespace leat
