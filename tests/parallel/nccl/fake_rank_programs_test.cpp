// Ranks that are programs of their own, each with a fake GPU, and that are killed, are stopped, or hang.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "leat/loader/os/child_process.h"
#include "leat/parallel/nccl_communicator.h"
#include "tests/cuda_fake/nccl/fake_nccl.h"
#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

constexpr const char* kVariable = "LEAT_TEST_NCCL_RANK";
constexpr const char* kRankCase = "a rank in a program of its own";
constexpr auto kBound = 15s;  // of what takes a second or two on a machine that does nothing else
constexpr int kRanks = 3;

enum class Role {
  reduces,   // waits in an all-reduce
  computes,  // makes a communicator, and never calls it
  exits      // makes a communicator, and on SIGUSR1 exits without destroying it
};

// Runs kRankCase in a new instance of this program: the fake GPUs do not work in a forked process.
class RankProgram {
 public:
  RankProgram(int rank, std::uint16_t port, Role role, std::chrono::milliseconds collective_timeout) {
    int ends[2];
    if (::pipe(ends) != 0) throw_errno("pipe for a rank's report");
    output_ = UniqueFd(ends[0]);
    const UniqueFd input(ends[1]);
    const std::string settings = fmt::format("{} {} {} {} {}", input.get(), rank, port,
                                             static_cast<int>(role), collective_timeout.count());
    process_.emplace(ChildProcess::run([&] {
      ::setenv(kVariable, settings.c_str(), 1);
      ::execl("/proc/self/exe", "parallel_tests", kRankCase, static_cast<char*>(nullptr));
      return 127;
    }));
  }

  void kill(int signal) const { process_->kill(signal); }

  // Returns the next line that the rank reports; what there is of it if the rank is gone or kBound has passed.
  std::string read() {
    const Deadline deadline(kBound);
    std::string line;
    char next = 0;
    while (!deadline.passed()) {
      pollfd ready{.fd = output_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, deadline.poll_timeout()) != 1) break;
      if (::read(output_.get(), &next, 1) != 1 || next == '\n') break;
      line += next;
    }
    return line;
  }

 private:
  UniqueFd output_;
  std::optional<ChildProcess> process_;
};

void report(int fd, const std::string& line) {
  const std::string text = line + "\n";
  if (::write(fd, text.data(), text.size()) < 0) ::_exit(3);
}

void reduce(Communicator& communicator, int fd) {
  const Stream stream = communicator.device().make_stream();
  const DeviceValues<float> values(stream, std::vector<float>(1000));
  communicator.all_reduce(values.span(), ReduceOp::sum, stream);
  report(fd, "ready");
  report(fd, kind_of_error([&] { stream.ref().synchronize(); }));
  report(fd, kind_of_error([&] { communicator.all_reduce(values.span(), ReduceOp::sum, stream); }));
}

TEST_CASE("a rank in a program of its own", "[.]") {
  const char* const settings = std::getenv(kVariable);
  if (settings == nullptr) return;
  int fd = 0, rank = 0, role = 0, timeout = 0;
  unsigned port = 0;
  REQUIRE(std::sscanf(settings, "%d %d %u %d %d", &fd, &rank, &port, &role, &timeout) == 5);
  cuda_fake::fake_nccl().has_other_processes = true;
  const auto store =
      std::make_shared<TcpStore>(loopback_world(rank, kRanks, static_cast<std::uint16_t>(port)), kBound);
  const auto communicator = make_nccl_communicator(
      store, cuda_device(0), {.timeout = kBound, .collective_timeout = std::chrono::milliseconds(timeout)});
  if (static_cast<Role>(role) == Role::reduces) return reduce(*communicator, fd);
  if (static_cast<Role>(role) == Role::exits) std::signal(SIGUSR1, [](int) { ::_exit(0); });
  report(fd, "ready");
  ::pause();
}

// Ranks with these roles, all of which have made the communicator, and made their calls.
std::vector<RankProgram> start(const std::vector<Role>& roles, std::chrono::milliseconds timeout = 60s) {
  const std::uint16_t port = free_port();
  std::vector<RankProgram> ranks;
  ranks.reserve(roles.size());
  for (std::size_t rank = 0; rank < roles.size(); ++rank)
    ranks.emplace_back(static_cast<int>(rank), port, roles[rank], timeout);
  for (RankProgram& rank : ranks) CHECK(rank.read() == "ready");
  return ranks;
}

// The error of synchronize(), and that of the next call, which is of the same type.
void check_errors(RankProgram& rank, const std::string& start) {
  const std::string first = rank.read(), next = rank.read();
  INFO("synchronize(): " << first << "\nthe next call: " << next);
  CHECK(first.find(start) == 0);
  CHECK(next.find(start) == 0);
}

TEST_CASE("a rank that is killed is lost on the others, though its collectives have no limit", "[process]") {
  for (const std::size_t killed : {std::size_t{2}, std::size_t{0}}) {
    auto ranks = start({Role::reduces, Role::reduces, Role::reduces});
    ranks[killed].kill(SIGKILL);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank != killed) check_errors(ranks[rank], fmt::format("PeerLost {}: ", killed));
    }
  }
}

TEST_CASE("a rank that exits without a goodbye is lost on the others", "[process]") {
  auto ranks = start({Role::reduces, Role::exits, Role::reduces});
  ranks[1].kill(SIGUSR1);
  for (const std::size_t rank : {0, 2}) check_errors(ranks[rank], "PeerLost 1: rank 1 of 3 was lost");
}

TEST_CASE("the watchdog answers for a rank that hangs outside of NCCL", "[process]") {
  auto ranks = start({Role::reduces, Role::computes, Role::reduces}, 500ms);
  for (const std::size_t rank : {0, 2}) {
    check_errors(
        ranks[rank],
        "PeerSilent 1: waited 500 ms: rank 1 has made no call, the others wait in all_reduce #0 (sum "
        "of 1000 f32)");
  }
}

TEST_CASE("a rank that is stopped is not waited for long", "[process]") {
  auto ranks = start({Role::reduces, Role::reduces, Role::computes}, 3s);
  ranks[2].kill(SIGSTOP);
  for (const std::size_t rank : {0, 1}) {
    check_errors(ranks[rank],
                 "PeerSilent 2: waited 3000 ms in all_reduce #0 (sum of 1000 f32): rank 2 of 3 did not tell");
  }
}

TEST_CASE("a rank 0 that is stopped, and the store with it, is not waited for long", "[slow]") {
  auto ranks = start({Role::computes, Role::reduces, Role::reduces});
  ranks[0].kill(SIGSTOP);
  for (const std::size_t rank : {1, 2}) check_errors(ranks[rank], "PeerSilent 0: ");
}

}  // namespace
}  // namespace leat::test
