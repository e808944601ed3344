// Shared memory between real processes, some of which die or stop.
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "leat/parallel/local_group.h"
#include "leat/parallel/shared_memory_communicator.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/reduced_gradients.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

constexpr int kRanks = 3;
constexpr auto kBound = 15s;  // of everything that does not wait for a timeout of its own

using Clock = std::chrono::steady_clock;
using Report = RankProcess::Report;
using Body = std::function<void(Communicator&, const Report&)>;

// Each rank reports the kind of the error that ends its body, also of an error of its construction.
std::vector<RankProcess> start(const SharedMemoryOptions& options, const Body& body, int ranks = kRanks) {
  const std::uint16_t port = free_port();
  std::vector<RankProcess> processes;
  processes.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    processes.emplace_back(rank, [&, ranks](int own, const Report& report) {
      const std::string error = kind_of_error([&] {
        const auto communicator = make_shared_memory_communicator(
            std::make_shared<TcpStore>(loopback_world(own, ranks, port), 3s), options);
        try {
          body(*communicator, report);
        } catch (...) {
          report(kind_of_error([] { throw; }));  // before the communicator ends
        }
      });
      if (!error.empty()) report(error);
    });
  }
  return processes;
}

TEST_CASE("what a rank has sent arrives, also if that rank destroys its communicator at once", "[process]") {
  constexpr std::size_t kCount = 1 << 18;  // passed in pieces
  std::vector<RankProcess> ranks;
  const std::uint16_t port = free_port();
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back(rank, [&](int own, const Report& report) {
      const auto store = std::make_shared<TcpStore>(loopback_world(own, kRanks, port), 20s);
      for (int time = 0; time < 50; ++time) {
        std::vector<int> values(kCount, own == 0 ? 7 : 0);
        {
          const Stream stream = host_device().make_stream();
          const auto communicator = make_shared_memory_communicator(store);
          communicator->broadcast({values.data(), kCount, DType::i32}, 0, stream);
          stream.ref().synchronize();
        }
        expect_equal(std::ranges::count(values, 7), std::ptrdiff_t{kCount}, "elements of rank 0");
      }
      report("done");
    });
  }
  for (RankProcess& rank : ranks) CHECK(rank.read() == "done");
}

void sum_for_ever(Communicator& communicator, const Report& report, CommunicationBuffer memory) {
  const Stream stream = host_device().make_stream();
  for (bool begun = false;; begun = true) {
    communicator.all_reduce({memory.data(), memory.size() / sizeof(float), DType::f32}, ReduceOp::sum,
                            stream);
    stream.ref().synchronize();
    if (!begun) report("begun");
  }
}

void sum_in_place(Communicator& communicator, const Report& report) {
  sum_for_ever(communicator, report, communicator.allocate(4'000'000));
}

void sum_staged(Communicator& communicator, const Report& report) {
  auto memory = std::make_shared<std::vector<float>>(1'000'000);
  auto* const data = reinterpret_cast<std::byte*>(memory->data());
  sum_for_ever(communicator, report, {data, 4'000'000, memory});
}

void sum_inline(Communicator& communicator, const Report& report) {
  sum_for_ever(communicator, report, communicator.allocate(1000));
}

// The ranks of a ring send to each other in turn.
void send_for_ever(Communicator& communicator, const Report& report) {
  const Stream stream = host_device().make_stream();
  std::vector<float> values(1'000'000);
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

void wait_for_ever(Communicator& communicator, const Report& report) {
  for (bool begun = false;; begun = true) {
    communicator.barrier();
    if (!begun) report("begun");
  }
}

void check_survivors(std::vector<RankProcess>& processes, int victim, Clock::time_point killed_at) {
  for (int rank = 0; rank < kRanks; ++rank) {
    RankProcess& process = processes[static_cast<std::size_t>(rank)];
    if (rank == victim) continue;
    const std::string error = process.read(kBound);
    INFO("rank " << rank << ": " << error);
    CHECK(error.starts_with(fmt::format("PeerLost {}: ", victim)));
    CHECK(Clock::now() - killed_at < 2s);  // noticed within one second, and reported by a busy machine
  }
}

TEST_CASE("survivors of a rank that is killed in a collective get PeerLost with its rank", "[process]") {
  for (const Body& body :
       {Body(sum_in_place), Body(sum_staged), Body(sum_inline), Body(wait_for_ever), Body(send_for_ever)}) {
    for (const int victim : {0, 1, 2}) {
      INFO("victim " << victim);
      auto processes = start({}, body);
      for (RankProcess& process : processes) REQUIRE(process.read(kBound) == "begun");
      const auto killed_at = Clock::now();
      processes[static_cast<std::size_t>(victim)].kill(SIGKILL);
      check_survivors(processes, victim, killed_at);
    }
  }
}

TEST_CASE("survivors of a rank that is killed while the ranks join get an error in time", "[process]") {
  for (const auto delay : {0us, 1000us, 3000us, 8000us, 16'000us}) {
    for (const int victim : {0, 1, 2}) {
      INFO("victim " << victim << ", killed after " << delay.count() << " us");
      auto processes = start({.connect_timeout = 1s}, [](Communicator& communicator, const Report&) {
        for (;;) communicator.barrier();
      });
      std::this_thread::sleep_for(delay);
      processes[static_cast<std::size_t>(victim)].kill(SIGKILL);
      for (int rank = 0; rank < kRanks; ++rank) {
        if (rank == victim) continue;
        const std::string error = processes[static_cast<std::size_t>(rank)].read(30s);
        INFO("rank " << rank << ": " << error);
        // Before the store knows rank 0, and where another survivor gave up first, the error is a general one.
        CHECK((error.starts_with(fmt::format("PeerLost {}: ", victim)) || error.starts_with("PeerSilent ") ||
               error.starts_with("CommunicationError: ")));
      }
    }
  }
}

TEST_CASE("a rank that is stopped makes the others throw PeerSilent, and then throws it too", "[process]") {
  for (const Body& body : {Body(sum_in_place), Body(wait_for_ever)}) {
    auto processes = start({.timeout = 1s}, body);
    for (RankProcess& process : processes) REQUIRE(process.read(kBound) == "begun");
    processes[1].kill(SIGSTOP);
    for (const int rank : {0, 2}) {
      const std::string error = processes[static_cast<std::size_t>(rank)].read(kBound);
      INFO("rank " << rank << ": " << error);
      CHECK(error.starts_with("PeerSilent 1: "));
      CHECK(error.find("waited 1000 ms; missing: rank 1 of 3") != std::string::npos);
    }
    processes[1].kill(SIGCONT);
    CHECK(processes[1].read(kBound).starts_with("PeerSilent 1: "));
  }
}

TEST_CASE("all ranks that are stopped for longer than the timeout go on when they are continued",
          "[process]") {
  auto processes = start({.timeout = 1s}, [](Communicator& communicator, const Report& report) {
    for (int i = 0; i < 20; ++i) {
      communicator.barrier();
      if (i == 0) report("begun");
      if (communicator.rank() == 0) std::this_thread::sleep_for(50ms);  // the others wait
    }
    report("done");
  });
  for (RankProcess& process : processes) REQUIRE(process.read(kBound) == "begun");
  for (RankProcess& process : processes) process.kill(SIGSTOP);
  std::this_thread::sleep_for(1500ms);
  for (RankProcess& process : processes) process.kill(SIGCONT);
  for (RankProcess& process : processes) CHECK(process.read(kBound) == "done");
}

TEST_CASE("a rank that aborts ends the others at once, with its reason", "[process]") {
  auto processes = start({}, [](Communicator& communicator, const Report& report) {
    communicator.barrier();
    if (communicator.rank() == 1) {
      std::this_thread::sleep_for(100ms);  // until the others wait
      communicator.abort("image 7 is damaged");
      return;
    }
    const auto before = Clock::now();
    const std::string error = kind_of_error([&] { communicator.barrier(); });
    report(Clock::now() - before < 1s ? error : "late: " + error);
  });
  for (const int rank : {0, 2}) {
    const std::string error = processes[static_cast<std::size_t>(rank)].read(kBound);
    INFO("rank " << rank << ": " << error);
    CHECK(error == "CommunicationError: rank 1 aborted: image 7 is damaged");
  }
}

TEST_CASE("a communicator that failed throws an error of the same type again", "[process]") {
  auto processes = start({}, [](Communicator& communicator, const Report& report) {
    communicator.barrier();
    if (communicator.rank() == 2) std::raise(SIGKILL);
    const std::string first = kind_of_error([&] { communicator.barrier(); });
    const std::string second = kind_of_error([&] { communicator.barrier(); });
    const std::string third = kind_of_error([&] { communicator.allocate(100); });
    report(first == second && second == third ? first : first + " | " + second + " | " + third);
  });
  for (const int rank : {0, 1}) {
    const std::string error = processes[static_cast<std::size_t>(rank)].read(kBound);
    INFO(error);
    CHECK(error.starts_with("PeerLost 2: "));
    CHECK(error.find('|') == std::string::npos);
  }
}

TEST_CASE("processes that ask for different sizes disagree", "[process]") {
  auto processes = start({}, [](Communicator& communicator, const Report&) {
    communicator.allocate(communicator.rank() == 2 ? 101 : 100);
  });
  for (RankProcess& process : processes) {
    const std::string error = process.read(kBound);
    INFO(error);
    CHECK(error.starts_with("Disagreement 0 2: "));
    CHECK(error.find("rank 0 calls allocate #0 (100 bytes), rank 2 calls allocate #0 (101 bytes)") !=
          std::string::npos);
  }
}

TEST_CASE("a rank without enough memory gets an error, and so do the others", "[process]") {
  auto processes = start({}, [](Communicator& communicator, const Report&) {
    if (communicator.rank() == 1) {
      const rlimit limit{.rlim_cur = 16 << 20, .rlim_max = 16 << 20};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    communicator.allocate(32 << 20);
  });
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string error = processes[static_cast<std::size_t>(rank)].read(kBound);
    INFO(error);
    CHECK(error.starts_with(rank == 1 ? "MemoryError: " : "CommunicationError: "));
    CHECK(error.find("RLIMIT_FSIZE") != std::string::npos);
  }
}

TEST_CASE("processes reduce gradients over shared memory", "[process]") {
  auto processes = start({}, report_reduced_gradient);
  for (RankProcess& process : processes) {
    CHECK(process.read(kBound) == "0 6");
    CHECK(process.wait() == 0);
  }
}

// Sums and averages of numbers for which the order of summation matters, of several sizes and types, in memory of both
// kinds. Returns a digest of all their bits.
std::uint64_t digest_of_sums(Communicator& communicator) {
  std::uint64_t digest = 14695981039346656037ULL;
  const Stream stream = host_device().make_stream();
  std::uint64_t state = 7 + static_cast<std::uint64_t>(communicator.rank());
  const CommunicationBuffer shared = communicator.allocate(2'500'000);
  std::vector<std::byte> own(2'500'000);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    for (const std::size_t count : {100, 1025, 70'003, 300'001}) {
      for (std::byte* const data : {shared.data(), own.data()}) {
        for (std::size_t i = 0; i < count; ++i) {
          state = state * 6364136223846793005ULL + 1442695040888963407ULL;
          const float value = static_cast<float>(static_cast<std::int64_t>(state) >> 34) / 3e6F;
          if (dtype == DType::f32) reinterpret_cast<float*>(data)[i] = value;
          if (dtype == DType::f64) reinterpret_cast<double*>(data)[i] = static_cast<double>(value) / 3;
          if (dtype == DType::bf16) reinterpret_cast<BFloat16*>(data)[i] = to_bfloat16(value);
          if (dtype == DType::f16) reinterpret_cast<Half*>(data)[i] = to_half(value);
        }
        communicator.all_reduce({data, count, dtype}, count % 2 == 0 ? ReduceOp::sum : ReduceOp::average,
                                stream);
        const std::size_t part = count / static_cast<std::size_t>(communicator.size());
        const std::size_t place = part * static_cast<std::size_t>(communicator.rank()) * size_of(dtype);
        communicator.reduce_scatter({data, part * static_cast<std::size_t>(communicator.size()), dtype},
                                    {data + place, part, dtype}, ReduceOp::sum, stream);
        communicator.all_gather({data + place, part, dtype},
                                {data, part * static_cast<std::size_t>(communicator.size()), dtype}, stream);
        stream.ref().synchronize();
        for (std::size_t i = 0; i < count * size_of(dtype); ++i) {
          digest = (digest ^ static_cast<std::uint64_t>(data[i])) * 1099511628211ULL;
        }
      }
    }
  }
  return digest;
}

TEST_CASE("sums and averages have the same bits between threads and between processes", "[process]") {
  auto processes = start({}, [](Communicator& communicator, const Report& report) {
    report(std::to_string(digest_of_sums(communicator)));
  });
  const Group group = local_group(kRanks, 60s);
  std::vector<std::uint64_t> digests(kRanks);
  run_ranks(kRanks, [&](int rank) {
    digests[static_cast<std::size_t>(rank)] = digest_of_sums(*group[static_cast<std::size_t>(rank)]);
  });
  CHECK(digests == std::vector<std::uint64_t>(kRanks, digests[0]));
  for (RankProcess& process : processes) CHECK(process.read(60s) == std::to_string(digests[0]));
}

}  // namespace
}  // namespace leat::test
