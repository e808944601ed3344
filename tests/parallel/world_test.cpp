#include "leat/parallel/world.h"

#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

double sum_of_ranks(Communicator& communicator) {
  double value = communicator.rank() + 1;
  const Stream stream = communicator.device().make_stream();
  communicator.all_reduce({&value, 1, DType::f64}, ReduceOp::sum, stream);
  stream.ref().synchronize();
  return value;
}

TEST_CASE("a world of one rank needs no other process, and its communicator works") {
  const World world{WorldSettings()};
  CHECK(world.rank() == 0);
  CHECK(world.size() == 1);
  CHECK(world.store() == nullptr);
  const auto communicator = world.make_communicator();
  CHECK(communicator->size() == 1);
  CHECK(sum_of_ranks(*communicator) == 1);
  const std::vector<JobSetting> seed{{"seed", "5"}};
  CHECK_NOTHROW(world.compare_settings(seed));
}

TEST_CASE("ranks of a host share memory, with several communicators at once, which outlive the world") {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.emplace_back(rank, [&](int own, const RankProcess::Report& report) {
      std::unique_ptr<Communicator> first, second;
      {
        const World world(loopback_world(own, 3, port), 20s);
        first = world.make_communicator();
        second = world.make_communicator();
      }
      expect_equal(sum_of_ranks(*first), 6.0, "the first sum");
      expect_equal(sum_of_ranks(*second), 6.0, "the second sum");
      report(first->engine());
    });
  }
  for (RankProcess& rank : ranks) {
    CHECK(rank.read() == "shared memory");
    CHECK(rank.wait() == 0);
  }
}

TEST_CASE("ranks with different settings are told before they train") {
  const std::uint16_t port = free_port();
  const auto errors = errors_of_ranks(2, [&](int rank) {
    const World world(loopback_world(rank, 2, port), 20s);
    const std::vector<JobSetting> seed{{"seed", std::to_string(5 + rank)}};
    world.compare_settings(seed);
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("seed") != std::string::npos);
    CHECK(error.find('6') != std::string::npos);
  }
}

TEST_CASE("a rank that does not come is an error with a bound") {
  const auto start = std::chrono::steady_clock::now();
  expect_error<CommunicationError>([] {
    const World world(loopback_world(0, 2), 300ms);
    world.make_communicator();
  });
  CHECK(std::chrono::steady_clock::now() - start < 20s);
}

TEST_CASE("a world of contradictory settings is refused") {
  expect_error<ArgumentError>([] { World(WorldSettings{.rank = 2, .world_size = 2}); }, {"rank 2"});
}

}  // namespace
}  // namespace leat::test
