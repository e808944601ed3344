// Gloo between real processes, some of which die.
#include <sys/wait.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "leat/parallel/gloo_communicator.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/reduced_gradients.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

constexpr int kRanks = 3;

std::vector<RankProcess> start(std::chrono::milliseconds timeout,
                               const std::function<void(Communicator&, const RankProcess::Report&)>& body) {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> processes;
  processes.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    processes.emplace_back(rank, [&](int own, const RankProcess::Report& report) {
      const auto communicator =
          make_gloo_communicator(loopback_world(own, kRanks, port), {.timeout = timeout});
      try {
        body(*communicator, report);
      } catch (const std::exception& error) {
        report(error.what());  // before the communicator ends: that may wait for the others
      }
    });
  }
  return processes;
}

// Sums for ever, until something fails; reports once that it has begun.
void sum_for_ever(Communicator& communicator, const RankProcess::Report& report) {
  const Stream stream = host_device().make_stream();
  std::vector<float> values(100'000, 0.0F);
  for (bool begun = false;; begun = true) {
    communicator.all_reduce({values.data(), values.size(), DType::f32}, ReduceOp::sum, stream);
    stream.ref().synchronize();
    if (!begun) report("begun");
  }
}

// The ranks of a ring send to each other in turn, for ever.
void send_for_ever(Communicator& communicator, const RankProcess::Report& report) {
  const Stream stream = host_device().make_stream();
  std::vector<float> values(100'000);
  const TensorSpan span{.data = values.data(), .count = values.size(), .dtype = DType::f32};
  for (bool begun = false;; begun = true) {
    for (int from = 0; from < kRanks; ++from) {
      const int to = (from + 1) % kRanks;
      if (communicator.rank() == from) communicator.send(span, to, stream);
      if (communicator.rank() == to) communicator.recv(span, from, stream);
    }
    stream.ref().synchronize();
    if (!begun) report("begun");
  }
}

// Rank 0 broadcasts more ones than the sockets of a connection hold; rank 2 stops when the first reaches it.
void stop_rank_2_half_way(Communicator& communicator, const RankProcess::Report& report) {
  const Stream stream = host_device().make_stream();
  std::vector<std::uint8_t> values(64 << 20, communicator.rank() == 0 ? 1 : 0);
  communicator.broadcast({values.data(), values.size(), DType::u8}, 0, stream);
  if (communicator.rank() == 2) {
    while (std::atomic_ref(values.front()).load() == 0) std::this_thread::yield();
    report("begun");
    std::raise(SIGSTOP);
  }
  stream.ref().synchronize();
  communicator.barrier();
}

void check_victim_is_named(std::vector<RankProcess>& processes, int victim) {
  const auto killed_at = std::chrono::steady_clock::now();
  processes[static_cast<std::size_t>(victim)].kill(SIGKILL);
  for (int rank = 0; rank < kRanks; ++rank) {
    RankProcess& process = processes[static_cast<std::size_t>(rank)];
    if (rank == victim) continue;
    const std::string error = process.read();
    INFO("rank " << rank << ": " << error);
    CHECK(error.find(fmt::format("rank {} was lost", victim)) != std::string::npos);
    CHECK(process.wait() == 0);
  }
  CHECK(std::chrono::steady_clock::now() - killed_at < 15s);  // far below the timeout: it was noticed
}

TEST_CASE("processes reduce gradients over gloo", "[process]") {
  auto processes = start(20s, report_reduced_gradient);
  for (RankProcess& process : processes) {
    CHECK(process.read() == "0 6");
    CHECK(process.wait() == 0);
  }
}

TEST_CASE("survivors of a killed rank get an error that names it, and no signal", "[process]") {
  for (const int victim : {0, 2}) {
    INFO("victim " << victim);
    auto processes = start(20s, victim == 0 ? sum_for_ever : send_for_ever);
    for (RankProcess& process : processes) REQUIRE(process.read() == "begun");
    check_victim_is_named(processes, victim);
  }
}

TEST_CASE("survivors that have half sent a large message to a killed rank name it too", "[process]") {
  auto processes = start(20s, stop_rank_2_half_way);
  REQUIRE(processes[2].read() == "begun");
  std::this_thread::sleep_for(300ms);  // until rank 0 has filled the sockets
  check_victim_is_named(processes, 2);
}

TEST_CASE("a stopped rank is noticed at the timeout", "[process]") {
  auto processes = start(1s, sum_for_ever);
  for (RankProcess& process : processes) REQUIRE(process.read() == "begun");
  processes[1].kill(SIGSTOP);
  for (const int rank : {0, 2}) {
    const std::string error = processes[static_cast<std::size_t>(rank)].read();
    INFO("rank " << rank << ": " << error);
    CHECK(error.find("1000") != std::string::npos);  // ms
  }
  processes[1].kill(SIGCONT);
  CHECK_FALSE(processes[1].read().empty());
  for (RankProcess& process : processes) CHECK(process.wait() == 0);
}

TEST_CASE("a rank that throws takes no time to end the others", "[process]") {
  auto processes = start(20s, [](Communicator& communicator, const RankProcess::Report& report) {
    communicator.barrier();
    if (communicator.rank() == 1) {
      communicator.abort("image 7 is damaged");
      return;
    }
    sum_for_ever(communicator, report);
  });
  for (const int rank : {0, 2}) {
    std::string error = processes[static_cast<std::size_t>(rank)].read();
    INFO("rank " << rank << ": " << error);
    CHECK(error.find("rank 1 aborted: image 7 is damaged") != std::string::npos);
  }
}

}  // namespace
}  // namespace leat::test
