// Gloo among some of the ranks of a store.
#include <catch2/catch_test_macros.hpp>
#include <csignal>

#include "leat/parallel/gloo_communicator.h"
#include "tests/parallel/gloo/gloo_group.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/rank_processes.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

double sum_over(Communicator& communicator, double value) {
  const Stream stream = host_device().make_stream();
  communicator.all_reduce({&value, 1, DType::f64}, ReduceOp::sum, stream);
  stream.ref().synchronize();
  return value;
}

TEST_CASE("gloo joins the ranks of a group, beside others of the same store") {
  const Stores stores = loopback_stores(4);
  run_ranks(4, [&](int rank) {
    const bool odd = rank % 2 == 1;
    const std::vector<int> ranks = odd ? std::vector{3, 1} : std::vector{0, 2};
    const auto store = stores[static_cast<std::size_t>(rank)]->group(ranks, odd ? "odd" : "even");
    const auto group = make_gloo_communicator(store, {.timeout = 20s});
    expect_equal(group->rank(), odd ? (rank == 3 ? 0 : 1) : rank / 2, "rank()");
    expect_equal(sum_over(*group, rank), odd ? 4.0 : 2.0, "the sum of the group");
  });
}

TEST_CASE("a gloo group goes on without the rank that serves the store, and names its own ranks",
          "[process]") {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> processes;
  for (int rank = 0; rank < 3; ++rank) {
    processes.emplace_back(rank, [&](int own, const RankProcess::Report& report) {
      const auto whole = std::make_shared<TcpStore>(loopback_world(own, 3, port), 20s);
      const std::vector<int> pair{2, 1};
      const auto group =
          own == 0 ? nullptr : make_gloo_communicator(whole->group(pair, "pair"), {.timeout = 20s});
      if (group) group->barrier();
      report("ready");
      report(kind_of_error([&] {
        while (group) sum_over(*group, 1);
        ::pause();
      }));
      ::_exit(0);  // the store would wait for the rank that serves it
    });
  }
  for (RankProcess& process : processes) REQUIRE(process.read(30s) == "ready");
  processes[0].kill(SIGKILL);
  CHECK(processes[0].wait() != 0);
  CHECK_THROWS(processes[1].read(1s));  // no report: it goes on
  processes[2].kill(SIGKILL);
  const std::string error = processes[1].read(15s);
  INFO(error);
  CHECK(error.starts_with("PeerLost 0: "));  // rank 2 of the store is rank 0 of the group
}

}  // namespace
}  // namespace leat::test
