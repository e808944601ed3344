// Stores of groups of ranks.
#include <catch2/catch_test_macros.hpp>

#include "leat/parallel/tcp_store.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("the store of a group has its ranks alone, numbered in the order given") {
  const Stores stores = loopback_stores(4);
  const std::vector<int> ranks{2, 0, 3};
  const auto group = stores[3]->group(ranks, "a");
  CHECK(group->world().rank == 2);
  CHECK(group->world().world_size == 3);
  CHECK(group->server_rank() == 1);
  CHECK(group->port() == stores[0]->port());
  CHECK(group->local_address() == "127.0.0.1");
  CHECK(stores[3]->world().rank == 3);
  CHECK(stores[3]->server_rank() == 0);
  const std::vector<int> without{3, 2};
  CHECK_FALSE(stores[3]->group(without, "a")->server_rank().has_value());
}

TEST_CASE("keys of groups are apart from those of other groups and of the whole") {
  const Stores stores = loopback_stores(2);
  const std::vector<int> both{0, 1};
  const auto a0 = stores[0]->group(both, "a"), a1 = stores[1]->group(both, "a"),
             b1 = stores[1]->group(both, "b");
  a0->set("key", "of a");
  CHECK(a1->get("key") == "of a");
  CHECK_FALSE(b1->try_get("key").has_value());
  CHECK_FALSE(stores[1]->try_get("key").has_value());
  CHECK(a0->add("sum", 2) == 2);
  CHECK(a1->add("sum", 3) == 5);
  CHECK(b1->add("sum", 1) == 1);
  const std::vector<std::string> keys{"key", "sum"};
  CHECK_NOTHROW(a1->wait(keys, 0ms));
  expect_error<CommunicationError>([&] { b1->wait(keys, 0ms); }, {"key"});
}

TEST_CASE("a group of a group is one of its ranks") {
  const Stores stores = loopback_stores(4);
  const std::vector<int> outer{3, 2, 1}, inner{2, 0};  // the ranks 1 and 3 of the world
  const auto first = stores[1]->group(outer, "outer")->group(inner, "inner");
  const auto second = stores[3]->group(outer, "outer")->group(inner, "inner");
  CHECK(first->world().rank == 0);
  CHECK(second->world().rank == 1);
  first->set("key", "value");
  CHECK(second->get("key") == "value");
}

TEST_CASE("the ranks of a group compare settings without the others") {
  const Stores stores = loopback_stores(3);
  const std::vector<int> ranks{2, 1};
  const auto compare = [&](int rank, const std::string& seed) {
    const std::vector<JobSetting> settings{{"seed", seed}};
    stores[static_cast<std::size_t>(rank)]
        ->group(ranks, seed == "same" ? "a" : "b")
        ->compare_settings(settings, 10s);
  };
  run_ranks(2, [&](int thread) { compare(thread + 1, "same"); });
  const auto errors = errors_of_ranks(2, [&](int thread) { compare(thread + 1, std::to_string(thread)); });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("seed") != std::string::npos);
  }
}

TEST_CASE("the store of a group outlives the one it was made from") {
  Stores stores = loopback_stores(2);
  const std::vector<int> both{0, 1};
  const auto first = stores[0]->group(both, "a"), second = stores[1]->group(both, "a");
  stores[1].reset();
  stores[0].reset();
  first->set("key", "value");
  CHECK(second->get("key") == "value");
}

TEST_CASE("stores of lists that are no groups are refused") {
  const Stores stores = loopback_stores(2);
  const auto refused = [&](const std::vector<int>& ranks, const std::string& text) {
    expect_error<ArgumentError>([&] { stores[0]->group(ranks, "a"); }, {text});
  };
  refused({}, "at least one rank");
  refused({0, 0}, "rank 0 appears twice");
  refused({0, 2}, "rank 2 is no rank of 2");
  refused({1}, "none of them");
}

}  // namespace
}  // namespace leat::test
