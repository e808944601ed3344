#include "leat/datasets/per_process.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "leat/loader/os/child_process.h"

namespace leat {

using namespace leat::detail;

namespace {

// Counts how often it was opened and closed in this process; cannot be moved.
struct Connection {
  static inline std::atomic<int> opened{0}, closed{0};
  explicit Connection(int of) : process(of) { ++opened; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ++closed; }
  int process;
};

TEST_CASE("each process opens its own resource, and closes no other", "[process]") {
  Connection::opened = Connection::closed = 0;
  {
    auto connection = std::make_unique<PerProcess<Connection>>([] { return Connection(::getpid()); });
    CHECK(Connection::opened == 0);
    CHECK(connection->get().process == ::getpid());
    CHECK(&connection->get() == &connection->get());
    ChildProcess child = ChildProcess::run([&] {
      if (connection->get().process != ::getpid() || Connection::opened != 2) return 1;
      ChildProcess grandchild = ChildProcess::run([&] {
        connection.reset();  // neither of the two is its own
        return Connection::closed == 0 ? 0 : 1;
      });
      if (grandchild.wait() != 0) return 2;
      connection.reset();
      return Connection::closed == 1 ? 0 : 3;
    });
    CHECK(child.wait() == 0);
    CHECK(Connection::opened == 1);
    CHECK(Connection::closed == 0);
  }
  CHECK(Connection::closed == 1);
}

TEST_CASE("threads that ask at once get one resource") {
  Connection::opened = 0;
  const PerProcess<Connection> connection([] { return Connection(1); });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { connection.get(); });
  threads.clear();
  CHECK(Connection::opened == 1);
}

TEST_CASE("a resource that cannot be opened is tried again") {
  int tries = 0;
  const PerProcess<int> resource([&] {
    if (++tries < 3) throw std::runtime_error("not yet");
    return 7;
  });
  CHECK_THROWS(resource.get());
  CHECK_THROWS(resource.get());
  CHECK(resource.get() == 7);
  CHECK(resource.get() == 7);
  CHECK(tries == 3);
}

}  // namespace
}  // namespace leat
