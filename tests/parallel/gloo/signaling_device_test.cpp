// Two processes connected by Gloo, one of which dies while a message is half on its way.
#include "leat/parallel/gloo/signaling_device.h"

#include <gloo/common/error.h>
#include <gloo/transport/unbound_buffer.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <thread>

#include "leat/parallel/gloo/gloo_context.h"
#include "tests/parallel/support/rank_processes.h"
#include "tests/parallel/support/stores.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 20s;
constexpr auto kFarBelow = 10s;            // of the timeout: the end was noticed
constexpr auto kUntilSocketsFill = 300ms;  // were it too short, the test would pass, but prove less
constexpr std::size_t kLarge = 64 << 20;   // bytes; more than the sockets of a connection hold
constexpr std::uint64_t kSlot = 1;

using Message = gloo::transport::UnboundBuffer;
using Report = RankProcess::Report;

// Both ranks connect, report "connected" and run `body` when they get SIGUSR1. Rank 0 survives.
RankProcess start(int rank, std::uint16_t port, const std::function<void(Message&, const Report&)>& body) {
  return {rank, [&](int own, const Report& report) {
            sigset_t go;
            sigemptyset(&go);
            sigaddset(&go, SIGUSR1);
            pthread_sigmask(SIG_BLOCK, &go, nullptr);
            TcpStore store(loopback_world(own, 2, port), kTimeout);
            const auto context = connect_all(store, "test", kTimeout);
            std::vector<std::uint8_t> bytes(kLarge);
            const auto message = context->createUnboundBuffer(bytes.data(), bytes.size());
            report("connected");
            int got = 0;
            sigwait(&go, &got);
            body(*message, report);
          }};
}

void go(RankProcess& process) {
  REQUIRE(process.read() == "connected");
  process.kill(SIGUSR1);
}

void check_error(RankProcess& survivor, std::chrono::steady_clock::time_point killed_at) {
  const std::string error = survivor.read();
  INFO(error);
  CHECK((error.find("Connection closed") != std::string::npos ||
         error.find("Connection reset") != std::string::npos));
  CHECK(std::chrono::steady_clock::now() - killed_at < kFarBelow);
  CHECK(survivor.wait() == 0);
}

}  // namespace

TEST_CASE("a send that is half written when its peer dies ends with the connection", "[process]") {
  const std::uint16_t port = free_port();
  RankProcess sender = start(0, port, [](Message& message, const Report& report) {
    message.send(1, kSlot);
    report("begun");
    message.waitSend(kTimeout);
    report("sent all");
  });
  RankProcess receiver = start(1, port, [](Message& message, const Report& /*report*/) {
    message.recv(0, kSlot);
    std::raise(SIGSTOP);
  });
  go(receiver);
  go(sender);
  REQUIRE(sender.read() == "begun");
  std::this_thread::sleep_for(kUntilSocketsFill);
  const auto killed_at = std::chrono::steady_clock::now();
  receiver.kill(SIGKILL);
  check_error(sender, killed_at);
}

TEST_CASE("a receive that is half read when its peer dies ends with the connection", "[process]") {
  const std::uint16_t port = free_port();
  RankProcess receiver = start(0, port, [](Message& message, const Report& report) {
    message.recv(1, kSlot);
    report("begun");
    message.waitRecv(kTimeout);
    report("received all");
  });
  RankProcess sender = start(1, port, [](Message& message, const Report& /*report*/) {
    message.send(0, kSlot);
    message.waitSend(kTimeout);
  });
  go(receiver);
  REQUIRE(receiver.read() == "begun");
  receiver.kill(SIGSTOP);
  go(sender);
  std::this_thread::sleep_for(kUntilSocketsFill);
  const auto killed_at = std::chrono::steady_clock::now();
  sender.kill(SIGKILL);
  sender.wait();  // or it might go on writing while the receiver reads
  receiver.kill(SIGCONT);
  check_error(receiver, killed_at);
}

}  // namespace leat::test
