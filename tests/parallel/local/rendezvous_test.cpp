#include "leat/parallel/local/rendezvous.h"

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

TEST_CASE("a round that has begun is carried out on every rank, though the rendezvous fails at once") {
  int begun_elsewhere = 0;
  for (int round = 0; round < 500; ++round) {
    Rendezvous rendezvous(2, 20s);
    const CollectiveCall call{};
    std::atomic<bool> waiting{false};
    std::string error;
    std::jthread other([&] {
      try {
        waiting = true;
        rendezvous.arrive(0, call);
        rendezvous.depart();
      } catch (const CommunicationError& failure) {
        error = failure.what();
      }
    });
    while (!waiting) std::this_thread::yield();
    rendezvous.arrive(1, call);  // the last to come: the round begins here
    rendezvous.fail("stop");
    rendezvous.depart();  // hangs, where the other rank does not come
    other.join();
    CHECK(error.empty());
    begun_elsewhere += error.empty() ? 1 : 0;
  }
  CHECK(begun_elsewhere == 500);
}

TEST_CASE("a failed rendezvous begins no further round") {
  Rendezvous rendezvous(1, 20s);
  rendezvous.arrive(0, {});
  rendezvous.fail("stop");
  rendezvous.depart();
  CHECK_THROWS_AS(rendezvous.arrive(0, {}), CommunicationError);
}

TEST_CASE("the first failure of a rendezvous stays its reason, though a rank leaves behind it") {
  Rendezvous rendezvous(2, 1ms);
  CHECK_THROWS_AS(rendezvous.arrive(0, {}), CommunicationError);
  rendezvous.leave(1);
  test::expect_error<CommunicationError>([&] { rendezvous.arrive(0, {}); },
                                         {"waited 1 ms; missing: rank 1 of 2"});
}

}  // namespace
}  // namespace leat
