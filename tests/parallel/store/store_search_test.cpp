#include "leat/parallel/store/store_search.h"

#include <catch2/catch_test_macros.hpp>
#include <future>
#include <optional>
#include <thread>

#include "leat/parallel/tcp_store.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/store_clients.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

TEST_CASE("a rank that comes first waits for rank 0") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);  // finds a free port, and frees it again
  const std::uint16_t port = local_port(listener.get());
  ::shutdown(listener.get(), SHUT_RDWR);
  auto early = std::async(std::launch::async, [port] {
    TcpStore store(loopback_world(1, 2, port), 20s);
    return store.get("greeting");
  });
  CHECK(early.wait_for(60ms) == std::future_status::timeout);
  TcpStore server(loopback_world(0, 2, port), 20s);
  server.set("greeting", "hello");
  CHECK(early.get() == "hello");
}

TEST_CASE("a rank without rank 0 gives up after its timeout") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);
  const std::uint16_t port = local_port(listener.get());
  ::shutdown(listener.get(), SHUT_RDWR);
  expect_error<CommunicationError>([port] { TcpStore(loopback_world(1, 2, port), 60ms); },
                                   {"nobody answers at 127.0.0.1", "is rank 0 running"});
}

TEST_CASE("a port where a program listens and says nothing is told after the timeout") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);
  expect_error<CommunicationError>(
      [&] { TcpStore(loopback_world(1, 2, local_port(listener.get())), 100ms); },
      {"nobody answers", "a program listens there, but does not answer as a leat store"});
}

TEST_CASE("ranks find the store among ports that other programs and other jobs use") {
  // The first port belongs to a silent program, the second to one that speaks first, the third to another job.
  const std::uint16_t base = unused_ports(4);
  const UniqueFd silent = listen_at("127.0.0.1", base);
  const UniqueFd talkative = listen_at("127.0.0.1", static_cast<std::uint16_t>(base + 1));
  std::thread talking([&] {
    const UniqueFd client = accept_at(talkative);
    send_all(client.get(), "SSH-2.0-OpenSSH_9.2\r\n", Deadline(10s));
  });
  const auto world = [&](int rank, const std::string& run, std::uint16_t first) {
    WorldSettings settings = loopback_world(rank, 2, first);
    settings.master_ports = 4;
    settings.run_id = run;
    return settings;
  };
  TcpStore other_job(world(0, "other", base), 10s);
  CHECK(other_job.port() == base + 2);
  auto early = std::async(std::launch::async, [&] {
    const auto start = std::chrono::steady_clock::now();
    TcpStore store(world(1, "ours", base), 20s);
    store.set("from", "1");
    expect_equal(store.port(), base + 3, "the port");
    expect(std::chrono::steady_clock::now() - start < 10s, "a quick rendezvous");
  });
  CHECK(early.wait_for(60ms) == std::future_status::timeout);
  TcpStore server(world(0, "ours", base), 10s);
  CHECK(server.port() == base + 3);
  CHECK(server.get("from", 20s) == "1");
  early.get();
  talking.join();
  CHECK_FALSE(other_job.try_get("from").has_value());
  expect_error<CommunicationError>([&] { TcpStore(world(0, "third", base), 1s); },
                                   {"cannot listen", std::to_string(base)});
  expect_error<CommunicationError>([&] { TcpStore(world(1, "third", base), 300ms); },
                                   {"nobody answers", "another job", "run \"ours\"", "run \"third\""});
}

TEST_CASE("a rank that was started again waits until the store of the attempt before is gone") {
  const std::uint16_t port = unused_port();
  const auto world = [&](int rank, int restart) {
    WorldSettings settings = loopback_world(rank, 2, port);
    settings.run_id = "run";
    settings.restart = restart;
    return settings;
  };
  auto before = std::make_unique<TcpStore>(world(0, 0), 10s);
  auto again = std::async(std::launch::async, [&] {
    TcpStore store(world(1, 1), 20s);
    return store.get("attempt");
  });
  CHECK(again.wait_for(60ms) == std::future_status::timeout);
  // A rank of the attempt before is late, and too old for the next one.
  before.reset();
  TcpStore server(world(0, 1), 10s);
  server.set("attempt", "second");
  CHECK(again.get() == "second");
  expect_error<CommunicationError>([&] { TcpStore(world(1, 0), 10s); },
                                   {"another job", "restart 1", "restart 0"});
}

TEST_CASE("ranks with one secret share a store, a rank with another or none is told so at once") {
  TcpStore server(secret_world(0, 3, 0, kSecret), 10s);
  TcpStore member(secret_world(1, 3, server.port(), kSecret), 10s);
  member.set("a", "1");
  CHECK(server.get("a") == "1");
  for (const std::string wrong : {"", "0123456789abcdeF", "0123456789abcdef0"}) {
    const auto start = std::chrono::steady_clock::now();
    expect_error<CommunicationError>([&] { TcpStore(secret_world(2, 3, server.port(), wrong), 20s); },
                                     {"rank 2", "LEAT_JOB_SECRET differs"});
    CHECK(std::chrono::steady_clock::now() - start < 5s);
  }
}

TEST_CASE("a recorded hello is worthless on another connection, and takes nobody's place") {
  TcpStore server(secret_world(0, 2, 0, kSecret), 10s);
  std::string recorded;
  {
    RawClient member(server.port());
    recorded = member.say_hello(2, 1, kSecret);
    REQUIRE(member.welcome(recorded, kSecret)->status == WelcomeStatus::ok);
    member.send(encode(StoreRequest{.op = StoreOp::goodbye}));
    CHECK(member.reply()->status == StoreStatus::ok);
  }
  RawClient thief(server.port());
  thief.receive(kGreetingBytes);
  thief.send(recorded);
  std::string answer = thief.receive(kWelcomeHeaderBytes);
  CHECK(answer[0] == static_cast<char>(WelcomeStatus::other_job));
  thief.receive(bytes_after_header(answer));
  CHECK_FALSE(thief.reply().has_value());
  TcpStore member(secret_world(1, 2, server.port(), kSecret), 10s);
  member.set("mine", "1");
}

TEST_CASE("a server that does not know the secret cannot welcome a rank") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);
  auto server = serve_once(listener, "");
  expect_error<CommunicationError>(
      [&] { TcpStore(secret_world(1, 2, local_port(listener.get()), kSecret), 10s); }, {"LEAT_JOB_SECRET"});
  server.get();
}

TEST_CASE("a program that greets as a store and says no more holds up no rank") {
  const std::uint16_t base = unused_ports(2);
  const auto port = static_cast<std::uint16_t>(base + 1);
  const UniqueFd listener = listen_at("127.0.0.1", base);
  WorldSettings world = secret_world(1, 2, base, kSecret);
  world.master_ports = 2;
  auto rank = std::async(std::launch::async, [&] { return TcpStore(world, 20s).port(); });
  const UniqueFd client = accept_at(listener);
  send_all(client.get(), encode_greeting(make_nonce()), Deadline(10s));
  std::string hello;
  while (!take_hello_of(client.get(), hello)) {
  }
  const TcpStore server(secret_world(0, 2, port, kSecret), 10s);
  CHECK(rank.wait_for(8s) == std::future_status::ready);
  CHECK(rank.get() == port);
}

// Passes the messages of one client on to the store at `port`. Returns the status that the store answers.
std::future<std::optional<WelcomeStatus>> relay_once(const UniqueFd& listener, std::uint16_t port) {
  return std::async(std::launch::async, [&listener, port]() -> std::optional<WelcomeStatus> {
    const UniqueFd client = accept_at(listener);
    RawClient store(port);
    try {
      send_all(client.get(), store.receive(kGreetingBytes), Deadline(10s));
      std::string hello;
      while (!take_hello_of(client.get(), hello)) {
      }
      store.send(hello);
      const std::string header = store.receive(kWelcomeHeaderBytes);
      send_all(client.get(), header + store.receive(bytes_after_header(header)), Deadline(10s));
      return static_cast<WelcomeStatus>(header[0]);
    } catch (const CommunicationError&) {
      return std::nullopt;  // the client has gone elsewhere
    }
  });
}

TEST_CASE("a program at another port cannot pass messages on to the store") {
  const std::uint16_t base = unused_ports(2);
  const auto port = static_cast<std::uint16_t>(base + 1);
  const UniqueFd listener = listen_at("127.0.0.1", base);
  const TcpStore server(secret_world(0, 2, port, kSecret), 10s);
  auto relay = relay_once(listener, port);
  SECTION("a rank that may look elsewhere finds the store itself") {
    WorldSettings world = secret_world(1, 2, base, kSecret);
    world.master_ports = 2;
    CHECK(TcpStore(world, 20s).port() == port);
    CHECK(relay.get().value_or(WelcomeStatus::other_job) == WelcomeStatus::other_job);
  }
  SECTION("a rank that may not is told") {
    expect_error<CommunicationError>([&] { TcpStore(secret_world(1, 2, base, kSecret), 20s); },
                                     {"rank 1", std::to_string(port), "passes messages on"});
    CHECK(relay.get() == WelcomeStatus::other_job);
  }
}

}  // namespace
}  // namespace leat::test
