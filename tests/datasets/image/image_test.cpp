#include "leat/datasets/image/image.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/scratch.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

TEST_CASE("a run of pixels is painted to its end and not beyond") {
  for (int pixels = -1; pixels <= 40; ++pixels) {
    std::vector<std::uint8_t> bytes(41 * 3, 9);
    fill_run(bytes.data(), pixels, {1, 2, 3});
    for (int i = 0; i < 41 * 3; ++i) REQUIRE(bytes[std::size_t(i)] == (i < 3 * pixels ? i % 3 + 1 : 9));
  }
}

TEST_CASE("scratch memory stays while it is needed, and much of it is given back") {
  std::vector<std::uint8_t> bytes;
  reserve_scratch(bytes, kMuchScratch + 1);
  const auto much = bytes.capacity();
  CHECK(much > kMuchScratch);
  reserve_scratch(bytes, much / 4);
  CHECK(bytes.capacity() == much);
  reserve_scratch(bytes, much / 4 - 1);
  CHECK(bytes.capacity() < much / 2);
  CHECK(bytes.size() >= much / 4 - 1);
}

TEST_CASE("little scratch memory is kept, whatever is asked for next") {
  std::vector<std::uint8_t> bytes;
  reserve_scratch(bytes, 1000);
  const std::uint8_t* const place = bytes.data();
  reserve_scratch(bytes, 1);
  reserve_scratch(bytes, 1000);
  CHECK(bytes.data() == place);
}

TEST_CASE("an image has no negative extent") {
  Image image;
  expect_error<ArgumentError>([&] { image.resize({-1, 4}); }, {"-1 x 4"});
}

}  // namespace leat::test
