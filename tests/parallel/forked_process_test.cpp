// Stores in a process that the program forks.
#include <catch2/catch_test_macros.hpp>
#include <chrono>

#include "leat/loader/os/child_process.h"
#include "leat/parallel/communicator.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a program's forked helper that inherits stores leaves them alone", "[process]") {
  auto stores = loopback_stores(2);
  ChildProcess helper = ChildProcess::run([&] {
    expect_error<CommunicationError>([&] { stores[1]->set("a", "from the helper"); }, {"another process"});
    { const auto destroyed = std::move(stores); }
    return 0;
  });
  const auto status = helper.wait(5s);
  REQUIRE(status);
  CHECK(*status == 0);
  stores[1]->set("a", "x");
  CHECK(stores[0]->get("a") == "x");
}

}  // namespace
}  // namespace leat::test
