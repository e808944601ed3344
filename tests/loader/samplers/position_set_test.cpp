#include "leat/loader/position_set.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>
#include <vector>

#include "tests/support/expect_error.h"

namespace leat {
namespace {

using Interval = PositionSet::Interval;

TEST_CASE("a position set joins what touches") {
  PositionSet set;
  CHECK(set.empty());
  set.insert({4, 6});
  set.insert({8, 9});
  CHECK(set.intervals() == std::vector<Interval>{{4, 6}, {8, 9}});
  set.insert({6, 8});
  CHECK(set.intervals() == std::vector<Interval>{{4, 9}});
  set.insert({0, 2});
  set.insert({5, 5});
  CHECK(set == PositionSet{{0, 2}, {4, 9}});
  CHECK(set.size() == 7);
  CHECK(set.end() == 9);
}

TEST_CASE("intervals that are empty, overlap, touch or descend are refused") {
  using Intervals = std::vector<Interval>;
  for (const Intervals& intervals : {Intervals{{3, 3}}, Intervals{{3, 2}}, Intervals{{0, 4}, {3, 5}},
                                     Intervals{{0, 4}, {4, 5}}, Intervals{{5, 6}, {0, 1}}}) {
    test::expect_error<ArgumentError>([&] { (void)PositionSet(intervals); }, {"interval"});
  }
}

TEST_CASE("a position set equals a set of numbers, whatever is inserted") {
  std::mt19937_64 random(41);
  for (int trial = 0; trial < 500; ++trial) {
    PositionSet set;
    std::set<std::size_t> expected;
    for (std::uint64_t i = random() % 8; i > 0; --i) {
      const std::size_t first = random() % 50, last = first + random() % 12;
      set.insert({first, last});
      for (std::size_t position = first; position < last; ++position) expected.insert(position);
    }
    std::vector<std::size_t> missing;
    for (std::size_t position = 0; position < 100; ++position) {
      if (!expected.contains(position)) missing.push_back(position);
    }
    REQUIRE(set.size() == expected.size());
    REQUIRE(set.end() == (expected.empty() ? 0 : *expected.rbegin() + 1));
    for (std::size_t i = 0; i < 30; ++i) REQUIRE(set.missing(i) == missing[i]);
    const std::size_t first = random() % 20, last = first + random() % 15;
    std::vector<std::size_t> listed;
    for (const Interval& part : set.missing(Interval{first, last})) {
      REQUIRE(part.first < part.last);
      for (std::size_t position = part.first; position < part.last; ++position) listed.push_back(position);
    }
    REQUIRE(listed == std::vector<std::size_t>(missing.begin() + static_cast<std::ptrdiff_t>(first),
                                               missing.begin() + static_cast<std::ptrdiff_t>(last)));
    PositionSet filled = set;
    PositionSet gaps;
    gaps.insert({first, last});
    filled.insert_missing(gaps);
    REQUIRE(filled.size() == set.size() + last - first);
    for (const std::size_t position : listed) expected.insert(position);
    REQUIRE(PositionSet(filled.intervals()) == filled);
    for (std::size_t i = 0; i < 15; ++i) REQUIRE_FALSE(expected.contains(filled.missing(i)));
  }
}

}  // namespace
}  // namespace leat
