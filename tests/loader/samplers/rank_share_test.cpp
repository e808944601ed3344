#include "leat/loader/rank_share.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/expect_error.h"

namespace leat {
namespace {

TEST_CASE("11 positions over 4 ranks: 3 each with padding, 2 without, 3 3 3 2 when kept") {
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(RankShare(rank, 4, RemainderPolicy::pad).size(11) == 3);
    CHECK(RankShare(rank, 4, RemainderPolicy::drop).size(11) == 2);
    CHECK(RankShare(rank, 4, RemainderPolicy::keep).size(11) == (rank < 3 ? 3u : 2u));
    CHECK(RankShare(rank, 4, RemainderPolicy::keep).size(0) == 0);
    CHECK(RankShare(rank, 4, RemainderPolicy::pad).position(2) == 8 + static_cast<std::size_t>(rank));
  }
}

TEST_CASE("a world without ranks and ranks outside their world are refused with the range") {
  test::expect_error<ArgumentError>([] { RankShare(0, 0, RemainderPolicy::keep); }, {"rank 0", "[0, 0)"});
  test::expect_error<ArgumentError>([] { RankShare(3, 3, RemainderPolicy::pad); }, {"rank 3", "[0, 3)"});
  test::expect_error<ArgumentError>([] { RankShare(-1, 3, RemainderPolicy::drop); }, {"rank -1", "size 3"});
}

}  // namespace
}  // namespace leat
