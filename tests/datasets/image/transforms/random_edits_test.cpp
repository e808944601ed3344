#include "leat/datasets/image/transforms/transform_plan.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/image/transforms/edits_of.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kImageBytes{8, 8};

template <class E>
E edit_of_certain(const TransformPipeline& transform) {
  const PixelEdits edits = edits_of(transform, kImageBytes, Rng(3, 0, 0));
  CHECK(edits.size() == 1);
  return edit_at<E>(edits);
}

}  // namespace

TEST_CASE("random edits are done as often as they say, and draw one number") {
  int done = 0;
  for (std::uint64_t index = 0; index < 4000; ++index) {
    const PixelEdits edits =
        edits_of(RandomInvert{0.25} | RandomGrayscale{0.5}, kImageBytes, Rng(3, 0, index));
    Rng rng(3, 0, index);
    const bool inverts = rng.bernoulli(0.25), grays = rng.bernoulli(0.5);
    REQUIRE(edits.size() == std::size_t{inverts} + std::size_t{grays});
    if (inverts) edit_at<edit::Invert>(edits);
    if (grays) edit_at<edit::Grayscale>(edits, edits.size() - 1);
    done += inverts ? 1 : 0;
    REQUIRE(edits_of(RandomEqualize{0}, kImageBytes, Rng(3, 0, index)).empty());
    REQUIRE(edits_of(RandomEqualize{1}, kImageBytes, Rng(3, 0, index)).size() == 1);
  }
  INFO("seed 3");
  CHECK(done == Catch::Approx(1000).margin(110));  // four standard deviations
}

TEST_CASE("each random edit is the one of its name, with its parameter") {
  edit_of_certain<edit::Grayscale>(Grayscale{});
  edit_of_certain<edit::Grayscale>(RandomGrayscale{1});
  edit_of_certain<edit::Invert>(RandomInvert{1});
  edit_of_certain<edit::AutoContrast>(RandomAutocontrast{1});
  edit_of_certain<edit::Equalize>(RandomEqualize{1});
  CHECK(edit_of_certain<edit::Posterize>(RandomPosterize(3, 1)).bits == 3);
  CHECK(edit_of_certain<edit::Solarize>(RandomSolarize(130, 1)).threshold == 130);
  CHECK(edit_of_certain<edit::Sharpness>(RandomAdjustSharpness(1.5, 1)).factor == 1.5);
}

TEST_CASE("Grayscale draws nothing") {
  const PixelEdits edits = edits_of(Grayscale{} | RandomErasing{1}, {64, 48}, Rng(8, 8, 8));
  const PixelEdits alone = edits_of(RandomErasing{1}, {64, 48}, Rng(8, 8, 8));
  CHECK(edit_at<edit::Erase>(edits, 1).box.left == edit_at<edit::Erase>(alone).box.left);
}

TEST_CASE("random edits refuse parameters out of range") {
  expect_error<ArgumentError>([] { RandomGrayscale{1.5}; }, {"RandomGrayscale", "1.5"});
  expect_error<ArgumentError>([] { RandomInvert{-1}; }, {"RandomInvert", "-1"});
  expect_error<ArgumentError>([] { RandomAutocontrast{2}; }, {"RandomAutocontrast", "2"});
  expect_error<ArgumentError>([] { RandomEqualize{2}; }, {"RandomEqualize", "2"});
  expect_error<ArgumentError>([] { RandomPosterize{9}; }, {"RandomPosterize", "bits is 9", "[0, 8]"});
  expect_error<ArgumentError>([] { RandomSolarize{257}; }, {"RandomSolarize", "threshold is 257"});
  expect_error<ArgumentError>([] { RandomAdjustSharpness{-2}; },
                              {"RandomAdjustSharpness", "sharpness_factor", "-2"});
}

}  // namespace leat::test
