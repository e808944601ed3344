// What the reports of the ranks say about a collective that does not end.
#include "leat/parallel/nccl/hang_diagnosis.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using Kind = CollectiveCall::Kind;
using Reports = std::vector<std::optional<CallReport>>;

CollectiveCall sum_of(std::size_t count) {
  return {.kind = Kind::all_reduce, .data = {.count = count}};
}

// A rank that has made so many all-reduces, and then perhaps another call.
CallReport after(int all_reduces, const std::optional<CollectiveCall>& last = std::nullopt) {
  CallHistory history;
  for (int i = 0; i < all_reduces; ++i) history.add(sum_of(1000));
  if (last) history.add(*last);
  return history.report();
}

const OverdueCall kCall42{.call = {.number = 42}, .limit = 200ms};

TEST_CASE("a rank that is behind the others is silent, and its last call is named") {
  const Failure failure = diagnose_hang({after(43), after(43), after(43), after(42)}, kCall42);
  CHECK(failure.kind == Failure::Kind::peer_silent);
  CHECK(failure.ranks == std::vector<int>{3});
  CHECK(failure.text ==
        "waited 200 ms: rank 3 is at all_reduce #41 (sum of 1000 f32), the others wait in all_reduce #42 "
        "(sum of "
        "1000 f32)");
}

TEST_CASE("ranks that are far behind, or have made no call, are named with those that are close") {
  const Failure failure = diagnose_hang({after(0), after(43), after(400), after(7)}, kCall42);
  CHECK(failure.kind == Failure::Kind::peer_silent);
  CHECK(failure.ranks == std::vector<int>{0, 3});
  CHECK(failure.text.find("rank 0 has made no call, rank 3 is at all_reduce #6") != std::string::npos);
}

TEST_CASE("ranks that do not report are silent, though others are behind") {
  const Failure failure = diagnose_hang({after(43), std::nullopt, after(42), std::nullopt}, kCall42);
  CHECK(failure.kind == Failure::Kind::peer_silent);
  CHECK(failure.ranks == std::vector<int>{1, 3});
  CHECK(failure.text.find("in all_reduce #42 (sum of 1000 f32): ranks 1, 3 of 4 did not tell") !=
        std::string::npos);
}

TEST_CASE("different calls with the same number are a disagreement, whoever is silent or behind") {
  const auto broadcast = [](int root) {
    return CollectiveCall{.kind = Kind::broadcast, .root = root, .data = {.count = 1000}};
  };
  const Failure other_kind =
      diagnose_hang({std::nullopt, after(43), after(42, broadcast(1)), after(3)}, kCall42);
  CHECK(other_kind.kind == Failure::Kind::disagreement);
  CHECK(other_kind.ranks == std::vector<int>{1, 2});
  CHECK(other_kind.text ==
        "the ranks disagree: rank 1 calls all_reduce #42 (sum of 1000 f32), rank 2 calls broadcast #42 (1000 "
        "f32 from "
        "rank 1)");
  CHECK(diagnose_hang({after(2, broadcast(0)), after(2, broadcast(1))}, {.call = {.number = 2}, .limit = 1ms})
            .kind == Failure::Kind::disagreement);
  CHECK(
      diagnose_hang({after(2, sum_of(7)), after(2, sum_of(8))}, {.call = {.number = 2}, .limit = 1ms}).kind ==
      Failure::Kind::disagreement);
}

TEST_CASE("a rank that has destroyed its communicator before the call is lost, though others are silent") {
  CallReport left{.count = 42, .has_left = true};
  const Failure failure = diagnose_hang({after(43), std::nullopt, left}, kCall42);
  CHECK(failure.kind == Failure::Kind::peer_lost);
  CHECK(failure.ranks == std::vector<int>{2});
  CHECK(failure.text ==
        "waited 200 ms in all_reduce #42 (sum of 1000 f32): rank 2 of 3 has destroyed its communicator "
        "before, after "
        "42 calls");
  left.count = 43;  // it took part
  CHECK(diagnose_hang({after(43), after(42), left}, kCall42).ranks == std::vector<int>{1});
}

TEST_CASE("a rank that does not come to an exchange is silent") {
  const OverdueCall send{
      .call = {.kind = CollectiveCall::Kind::send, .root = 2, .data = {.count = 5}, .number = 3},
      .limit = 7ms};
  const Failure failure = diagnose_exchange(send, 4);
  CHECK(failure.kind == Failure::Kind::peer_silent);
  CHECK(failure.ranks == std::vector<int>{2});
  CHECK(failure.text == "waited 7 ms in " + describe(send.call) + ": rank 2 of 4 did not come");
}

TEST_CASE("of several disagreements the first one counts") {
  const CallReport wrong{.count = 3, .last = {"all_reduce #0 (sum of 1000 f32)", "barrier #1", "barrier #2"}};
  const Failure failure = diagnose_hang({after(3), wrong}, {.call = {.number = 2}, .limit = 1ms});
  CHECK(failure.text.find("rank 1 calls barrier #1") != std::string::npos);
}

TEST_CASE("if all ranks have made the call, no rank is blamed") {
  const Failure failure = diagnose_hang({after(43), after(50), after(1000)}, kCall42);
  CHECK(failure.kind == Failure::Kind::other);
  CHECK(failure.ranks.empty());
  CHECK(failure.text.find("all_reduce #42 (sum of 1000 f32) did not end within 200 ms, though all ranks") ==
        0);
}

TEST_CASE("a history keeps the last 256 calls, with their numbers") {
  const CallReport report = after(300);
  CHECK(report.count == 300);
  CHECK(report.last.size() == 256);
  CHECK(report.find(43) == nullptr);
  REQUIRE(report.find(44) != nullptr);
  CHECK(*report.find(44) == "all_reduce #44 (sum of 1000 f32)");
  CHECK(*report.find(299) == "all_reduce #299 (sum of 1000 f32)");
  CHECK(report.find(300) == nullptr);
}

TEST_CASE("reports pass through the store unchanged, and other text is no report") {
  for (const int calls : {0, 1, 255, 256, 257}) {
    const CallReport report = after(calls);
    const auto decoded = decode_report(encode(report));
    REQUIRE(decoded);
    CHECK(decoded->count == report.count);
    CHECK(decoded->last == report.last);
    CHECK_FALSE(decoded->has_left);
  }
  const auto decoded = decode_report(encode({.count = 300, .has_left = true}));
  REQUIRE(decoded);
  CHECK(decoded->has_left);
  CHECK(decoded->count == 300);
  for (const char* text :
       {"", "\n", "x", "3", " left\n", "0 lef\n", "0left\n", "1 left\nfirst", "-1\n", "2\nonly one",
        "1\nfirst\nsecond", "99999999999999999999\n", "18446744073709551615\na"}) {
    INFO(text);
    CHECK_FALSE(decode_report(text));
  }
}

}  // namespace
}  // namespace leat::test
