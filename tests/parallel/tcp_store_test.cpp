#include "leat/parallel/tcp_store.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <future>
#include <optional>
#include <random>
#include <thread>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/store_protocol.h"
#include "leat/parallel/store/tcp_socket.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

// A client that speaks the protocol by hand, or something else.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(connect_to("127.0.0.1", port, Deadline(10s))) {}
  void send(const std::string& bytes) { send_all(fd_.get(), bytes, Deadline(10s)); }

  // The next reply; nullopt where the server closes the connection instead.
  std::optional<StoreReply> reply() {
    try {
      std::string header(kReplyHeaderBytes, '\0');
      receive_all(fd_.get(), header, Deadline(10s));
      const StoreReplyHeader decoded = decode_reply_header(header);
      StoreReply reply{.status = decoded.status, .payload = std::string(decoded.size, '\0')};
      receive_all(fd_.get(), reply.payload, Deadline(10s));
      return reply;
    } catch (const CommunicationError&) {
      return std::nullopt;
    }
  }

 private:
  UniqueFd fd_;
};

TEST_CASE("ranks share values, waits and counters") {
  const auto stores = loopback_stores(3);
  stores[1]->set("a", std::string_view("x\0y", 3));
  CHECK(stores[2]->get("a") == std::string("x\0y", 3));
  CHECK_FALSE(stores[0]->try_get("b").has_value());
  run_ranks(3, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    for (int i = 0; i < 200; ++i) stores[r]->add("n", rank + 1);
    stores[r]->set("here" + std::to_string(rank), "");
    const std::vector<std::string> keys{"here0", "here1", "here2"};
    stores[r]->wait(keys, 20s);
    expect_equal(stores[r]->add("n", 0), 200 * 6, "the counter");
  });
  const std::string large(std::size_t{1} << 20, 'v');
  stores[0]->set("large", large);
  CHECK(stores[1]->get("large") == large);
}

TEST_CASE("get waits for a key that comes later") {
  const auto stores = loopback_stores(2);
  auto value = std::async(std::launch::async, [&] { return stores[1]->get("late"); });
  stores[0]->set("other", "1");
  CHECK(value.wait_for(50ms) == std::future_status::timeout);
  stores[0]->set("late", "2");
  CHECK(value.get() == "2");
}

TEST_CASE("a wait ends by its deadline, naming the key, and the store still works") {
  const auto stores = loopback_stores(1);
  expect_error<CommunicationError>([&] { stores[0]->get("never", 50ms); }, {"\"never\"", "50 ms", "rank 0"});
  stores[0]->set("never", "now");
  CHECK(stores[0]->get("never") == "now");
}

TEST_CASE("a wait for several keys ends by one deadline") {
  const auto stores = loopback_stores(2);
  auto late = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(20ms);  // of the time that is left for the second key
    stores[1]->set("late", "");
  });
  const std::vector<std::string> keys{"late", "never"};
  try {
    stores[0]->wait(keys, 1s);
    FAIL("there was no error");
  } catch (const CommunicationError& error) {
    INFO(error.what());
    CHECK(std::string(error.what()).find("\"never\"") != std::string::npos);
    CHECK(std::string(error.what()).find("within 1000 ms") == std::string::npos);
  }
}

TEST_CASE("the server listens at the address it was given and no other") {
  const auto stores = loopback_stores(1);
  CHECK(stores[0]->local_address() == "127.0.0.1");
  // The whole of 127/8 is this machine: a server bound to every address would answer here.
  expect_error<CommunicationError>([&] { connect_to("127.0.0.2", stores[0]->port(), Deadline(50ms)); },
                                   {"nobody answers at 127.0.0.2"});
}

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

TEST_CASE("another world size is refused, naming both") {
  const auto stores = loopback_stores(1);
  expect_error<CommunicationError>([&] { TcpStore(loopback_world(1, 3, stores[0]->port()), 10s); },
                                   {"WORLD_SIZE 1", "rank 1", "WORLD_SIZE 3"});
}

TEST_CASE("a rank that is there already is refused, naming both") {
  const auto stores = loopback_stores(3);
  expect_error<CommunicationError>([&] { TcpStore(loopback_world(1, 3, stores[0]->port()), 10s); },
                                   {"rank 1 came twice", "RANK must differ"});
  stores[1]->set("still", "here");
  CHECK(stores[2]->get("still") == "here");
}

TEST_CASE("rank 0's port in use is an error that says what to change") {
  const auto stores = loopback_stores(1);
  expect_error<CommunicationError>([&] { TcpStore(loopback_world(0, 2, stores[0]->port()), 1s); },
                                   {"cannot listen", "MASTER_PORT"});
  expect_error<CommunicationError>(
      [] {
        TcpStore(
            {.rank = 0, .world_size = 1, .local_rank = 0, .master_address = "192.0.2.1", .master_port = 0},
            1s);
      },
      {"cannot listen at 192.0.2.1", "MASTER_ADDR"});
}

TEST_CASE("hostile bytes end their connection and disturb nobody") {
  const auto stores = loopback_stores(2);
  RawClient http(stores[0]->port());
  http.send("GET / HTTP/1.1\r\n\r\n");
  const auto refusal = http.reply();
  REQUIRE(refusal.has_value());
  CHECK(refusal->status == StoreStatus::refused);
  CHECK_FALSE(http.reply().has_value());

  RawClient outsider(stores[0]->port());  // a rank beyond the world
  outsider.send(encode(StoreHello{.world_size = 2, .rank = 2}));
  CHECK(outsider.reply()->status == StoreStatus::refused);

  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    RawClient client(stores[0]->port());
    std::string bytes(1 + random() % 5000, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    try {
      client.send(bytes);
    } catch (const CommunicationError&) {  // NOLINT(bugprone-empty-catch): on purpose
      // The server may close before all of it is sent.
    }
  }
  RawClient silent(stores[0]->port());  // says nothing and holds up nobody

  stores[1]->set("key", "value");
  CHECK(stores[0]->get("key") == "value");
}

TEST_CASE("a crowd of strangers is sent away, and disturbs nobody") {
  const auto stores = loopback_stores(1);
  std::vector<UniqueFd> crowd;
  for (int i = 0; i < 64; ++i) crowd.push_back(connect_to("127.0.0.1", stores[0]->port(), Deadline(10s)));
  const UniqueFd beyond = connect_to("127.0.0.1", stores[0]->port(), Deadline(10s));
  std::array<char, 1> byte{};
  expect_error<CommunicationError>([&] { receive_all(beyond.get(), byte, Deadline(5s)); },
                                   {"closed the connection"});
  stores[0]->set("still", "here");
  CHECK(stores[0]->get("still") == "here");
}

// Welcomes one client, and answers its first request by `answer`.
std::future<void> serve_once(const UniqueFd& listener, std::string answer) {
  return std::async(std::launch::async, [fd = listener.get(), answer = std::move(answer)] {
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    ::poll(&entry, 1, 10'000);
    const UniqueFd client(::accept(fd, nullptr, nullptr));
    std::string hello(kHelloBytes, '\0'), rest(1 << 10, '\0');
    receive_all(client.get(), hello, Deadline(10s));
    send_all(client.get(), encode(StoreReply{}), Deadline(10s));
    ::recv(client.get(), rest.data(), rest.size(), 0);
    send_all(client.get(), answer, Deadline(10s));
    ::recv(client.get(), rest.data(), rest.size(), 0);  // until the client goes, or says goodbye
  });
}

TEST_CASE("a connection whose answer makes no sense is not used again") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);
  auto server = serve_once(listener, std::string(kReplyHeaderBytes, '\x7f'));
  TcpStore store(loopback_world(1, 2, local_port(listener.get())), 10s);
  expect_error<CommunicationError>([&] { store.set("a", "1"); }, {"another program listens"});
  expect_error<CommunicationError>([&] { store.set("a", "1"); }, {"rank 1", "was lost before"});
  server.get();
}

TEST_CASE("a sum that is no number is an error of the communication") {
  const UniqueFd listener = listen_at("127.0.0.1", 0);
  auto server = serve_once(listener, encode(StoreReply{.payload = "one"}));
  TcpStore store(loopback_world(1, 2, local_port(listener.get())), 10s);
  expect_error<CommunicationError>([&] { store.add("a", 1); }, {"rank 1", "sum of \"a\""});
}

TEST_CASE("a member that breaks the protocol is dropped, and may not crowd the server's memory") {
  const auto stores = loopback_stores(1);
  SECTION("a frame beyond the limits") {
    auto server = std::make_unique<TcpStore>(loopback_world(0, 2), 10s);
    RawClient client(server->port());
    client.send(encode(StoreHello{.world_size = 2, .rank = 1}));
    CHECK(client.reply()->status == StoreStatus::ok);
    std::string frame = encode(StoreRequest{.op = StoreOp::set, .key = "k", .value = "v"});
    frame[12] = '\x7f';  // the value's length becomes 2 GB
    client.send(frame);
    const auto reply = client.reply();
    REQUIRE(reply.has_value());
    CHECK(reply->payload.find("the limits are") != std::string::npos);
    CHECK_FALSE(client.reply().has_value());
    server->set("still", "here");
    server.reset();  // does not wait for the one that was dropped
  }
  SECTION("replies that nobody reads") {
    auto server = std::make_unique<TcpStore>(loopback_world(0, 2), 10s);
    server->set("large", std::string(std::size_t{1} << 20, 'x'));
    {
      RawClient client(server->port());
      client.send(encode(StoreHello{.world_size = 2, .rank = 1}));
      for (int i = 0; i < 1000; ++i) client.send(encode(StoreRequest{.op = StoreOp::get, .key = "large"}));
      server->set("other", "1");
      CHECK(server->get("other") == "1");
    }
    server.reset();
  }
}

TEST_CASE("the server outlives the last user") {
  auto stores = loopback_stores(2);
  auto ending = std::async(std::launch::async, [&] { stores[0].reset(); });
  CHECK(ending.wait_for(50ms) == std::future_status::timeout);
  stores[1]->set("last", "words");
  CHECK(stores[1]->get("last") == "words");
  stores[1].reset();
  ending.get();
}

TEST_CASE("calls after rank 0 is gone are errors, not signals") {
  auto stores = loopback_stores(1);
  const std::uint16_t port = stores[0]->port();
  stores[0].reset();
  expect_error<CommunicationError>([port] { TcpStore(loopback_world(0 + 1, 2, port), 30ms); },
                                   {"nobody answers"});
}

}  // namespace
}  // namespace leat::test
