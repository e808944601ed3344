#include "leat/datasets/transforms.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

Geometry plan(const TransformPipeline& pipeline, Size source, Rng rng = Rng(1, 2, 3)) {
  return leat::detail::plan(pipeline, source, rng).canvas.geometry();
}

// The part of the source that the output shows.
struct ShownBox {
  double left, top;
  Size size;
};

ShownBox shown(const Geometry& geometry) {
  const auto at = [](const AxisPlan& axis, int k) {
    return axis.low + (axis.high - axis.low) * k / axis.resampled;
  };
  const AxisPlan &x = geometry.x(), &y = geometry.y();
  const double left = at(x, x.window.first), top = at(y, y.window.first);
  const double width = at(x, x.window.last) - left, height = at(y, y.window.last) - top;
  return {left, top, {static_cast<int>(width), static_cast<int>(height)}};
}

}  // namespace

TEST_CASE("Resize to a shorter edge truncates the longer one, as torchvision does") {
  CHECK(plan(Resize{256}, {500, 375}).output() == Size{341, 256});  // 341.33
  CHECK(plan(Resize{256}, {375, 500}).output() == Size{256, 341});
  CHECK(plan(Resize{256}, {500, 333}).output() == Size{384, 256});  // 384.38
  CHECK(plan(Resize{256}, {300, 299}).output() == Size{256, 256});  // 256.86
  CHECK(plan(Resize{7}, {7, 7}).x().is_copy());
  CHECK(plan(Resize{10, 20}, {500, 375}).output() == Size{20, 10});  // height first
}

TEST_CASE("CenterCrop rounds half a pixel to the even side, as Python does") {
  const auto left = [](int width) { return plan(CenterCrop{224}, {width, 300}).x().window.first; };
  CHECK(left(224) == 0);
  CHECK(left(225) == 0);  // round(0.5)
  CHECK(left(226) == 1);
  CHECK(left(227) == 2);  // round(1.5)
  CHECK(left(229) == 2);  // round(2.5)
  CHECK(left(341) == 58);
  CHECK(plan(CenterCrop{10, 20}, {50, 40}).output() == Size{20, 10});
}

TEST_CASE("an image that is too small for CenterCrop is an error that names both sizes") {
  expect_error<ArgumentError>(
      [] {
        plan(CenterCrop{224}, {223, 500});
      },
      {"224 x 224", "223 x 500", "Resize"});
}

TEST_CASE("RandomResizedCrop stays within the image, its scale and its ratio") {
  const Size source{500, 375};
  const RandomResizedCrop transform{224};
  bool differs = false;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    INFO("index " << index);
    const Geometry geometry = plan(transform, source, Rng(4, 0, index));
    REQUIRE(geometry.output() == Size{224, 224});
    const auto [left, top, box] = shown(geometry);
    REQUIRE((left >= 0 && left + box.width <= 500 && top >= 0 && top + box.height <= 375));
    const double share = double(box.width) * box.height / (500 * 375), ratio = double(box.width) / box.height;
    // Extents are rounded to whole pixels.
    REQUIRE((share > 0.08 * 0.98 && share <= 1.0));
    REQUIRE((ratio > 0.75 * 0.98 && ratio < 4.0 / 3.0 * 1.02));
    differs = differs || box != shown(plan(transform, source, Rng(4, 0, index + 1))).size;
  }
  CHECK(differs);
}

TEST_CASE("RandomResizedCrop draws area, ratio, top and left, in this order") {
  const Geometry geometry =
      plan(RandomResizedCrop{100, {0.25, 0.36}, {0.5, 2.0}}, {1000, 1000}, Rng(9, 8, 7));
  Rng rng(9, 8, 7);
  const double area = 1e6 * rng.uniform(0.25, 0.36);
  const double ratio = std::exp(rng.uniform(std::log(0.5), std::log(2.0)));
  const int width = int(std::nearbyint(std::sqrt(area * ratio))),
            height = int(std::nearbyint(std::sqrt(area / ratio)));
  const auto top = rng.below(1001 - std::uint64_t(height)), left = rng.below(1001 - std::uint64_t(width));
  CHECK(shown(geometry).size == Size{width, height});
  CHECK(shown(geometry).top == double(top));
  CHECK(shown(geometry).left == double(left));
}

TEST_CASE("RandomResizedCrop of a whole square is the square") {
  const Geometry geometry = plan(RandomResizedCrop{50, {1, 1}, {1, 1}}, {200, 200});
  CHECK(shown(geometry).size == Size{200, 200});
}

TEST_CASE("where no try fits, RandomResizedCrop takes the largest middle part") {
  // All of the area at ratio 1 does not fit into these.
  const Geometry wide = plan(RandomResizedCrop{50, {1, 1}, {1, 1}}, {300, 101});
  CHECK(shown(wide).size == Size{101, 101});
  CHECK(wide.x().low == 99);  // (300 - 101) // 2
  const Geometry high = plan(RandomResizedCrop{50, {1, 1}, {0.75, 0.75}}, {90, 500});
  CHECK(shown(high).size == Size{90, 120});
  CHECK(high.y().low == 190);
  const Geometry thin = plan(RandomResizedCrop{50, {1, 1}, {0.1, 0.1}}, {2, 1});
  CHECK(shown(thin).size == Size{1, 1});
}

TEST_CASE("RandomHorizontalFlip flips as often as it says") {
  int flips = 0;
  for (std::uint64_t index = 0; index < 4000; ++index) {
    flips += plan(RandomHorizontalFlip{0.25}, {8, 8}, Rng(3, 0, index)).flipped() ? 1 : 0;
    REQUIRE_FALSE(plan(RandomHorizontalFlip{0}, {8, 8}, Rng(3, 0, index)).flipped());
    REQUIRE(plan(RandomHorizontalFlip{1}, {8, 8}, Rng(3, 0, index)).flipped());
  }
  INFO("seed 3");
  CHECK(flips == Catch::Approx(1000).margin(110));  // four standard deviations
}

TEST_CASE("RandomVerticalFlip flips as often as it says, and not sideways") {
  int flips = 0;
  for (std::uint64_t index = 0; index < 4000; ++index) {
    const Geometry geometry = plan(RandomVerticalFlip{0.25}, {8, 8}, Rng(3, 0, index));
    flips += geometry.flipped_vertically() ? 1 : 0;
    REQUIRE_FALSE(geometry.flipped());
    REQUIRE_FALSE(plan(RandomVerticalFlip{0}, {8, 8}, Rng(3, 0, index)).flipped_vertically());
    REQUIRE(plan(RandomVerticalFlip{1}, {8, 8}, Rng(3, 0, index)).flipped_vertically());
  }
  INFO("seed 3");
  CHECK(flips == Catch::Approx(1000).margin(110));  // four standard deviations
  expect_error<ArgumentError>([] { RandomVerticalFlip{-0.5}; }, {"RandomVerticalFlip", "-0.5"});
}

TEST_CASE("a pipeline applies its transforms in order and repeats for the same generator") {
  const TransformPipeline validation = Resize{256, Filter::bicubic} | CenterCrop{224};
  const Geometry geometry = plan(validation, {500, 375});
  CHECK(geometry.x().window == PixelRange{58, 282});
  CHECK(geometry.filter() == Filter::bicubic);

  const TransformPipeline training = RandomResizedCrop{224} | RandomHorizontalFlip{} | Resize{64, 64};
  const Geometry once = plan(training, {500, 375}), again = plan(training, {500, 375});
  CHECK(once.output() == Size{64, 64});
  CHECK(once.x().low == again.x().low);
  CHECK(once.flipped() == again.flipped());
}

TEST_CASE("a pipeline knows the size of its output, or that it varies") {
  CHECK(TransformPipeline(RandomResizedCrop{224} | RandomHorizontalFlip{}).output_size() == Size{224, 224});
  CHECK((Resize{256} | CenterCrop{224}).output_size() == Size{224, 224});
  CHECK((CenterCrop{100, 200} | Resize{50}).output_size() == Size{100, 50});
  CHECK_FALSE(TransformPipeline(Resize{256}).output_size().has_value());
  CHECK_FALSE((Resize{256} | RandomHorizontalFlip{}).output_size().has_value());
  CHECK_FALSE(TransformPipeline().output_size().has_value());
}

TEST_CASE("transforms refuse parameters out of range") {
  expect_error<ArgumentError>([] { Resize{0}; }, {"Resize", "0"});
  expect_error<ArgumentError>([] { Resize(10, -1); }, {"Resize", "-1 x 10"});
  expect_error<ArgumentError>([] { CenterCrop{0}; }, {"CenterCrop"});
  expect_error<ArgumentError>([] { RandomResizedCrop{-3}; }, {"RandomResizedCrop", "-3"});
  expect_error<ArgumentError>([] { RandomResizedCrop(8, {0.5, 0.2}); }, {"scale", "0.5", "0.2"});
  expect_error<ArgumentError>([] { RandomResizedCrop(8, {0.5, 1}, {0, 1}); }, {"ratio"});
  expect_error<ArgumentError>([] { RandomHorizontalFlip{1.5}; }, {"1.5"});
  expect_error<ArgumentError>([] { RandomHorizontalFlip{std::nan("")}; }, {"nan"});
}

TEST_CASE("a longer edge beyond the range of int is refused") {
  expect_error<ArgumentError>([] { plan(Resize{65000}, {65500, 1}); }, {"65500 x 1", "4257500000"});
}

TEST_CASE("Normalize is the end of a pipeline, and its numbers are finite and above zero") {
  const Normalize normalize{{0.5F, 0.5F, 0.5F}, {0.5F, 0.25F, 1}};
  const TransformPipeline pipeline = CenterCrop{8} | normalize;
  CHECK(pipeline.output_size() == Size{8, 8});
  REQUIRE(scale_of(pipeline));
  CHECK(scale_of(pipeline)->bias == std::array{-1.0F, -2.0F, -0.5F});
  CHECK_FALSE(scale_of(TransformPipeline(CenterCrop{8})));
  CHECK_FALSE(scale_of(TransformPipeline()));
  expect_error<ArgumentError>([&] { pipeline | RandomHorizontalFlip{}; }, {"Normalize", "last"});
  expect_error<ArgumentError>([] { Normalize({0, 0, 0}, {1, 0, 1}); }, {"channel 1", "std 0"});
  expect_error<ArgumentError>([] { Normalize({0, 0, NAN}, {1, 1, 1}); }, {"channel 2", "nan"});
}

TEST_CASE("geometry comes before pixels, and those before Normalize") {
  const Normalize normalize{{0, 0, 0}, {1, 1, 1}};
  const TransformPipeline pixels = ColorJitter{0.5} | RandAugment{} | RandomErasing{};
  CHECK((RandomCrop{8} | pixels | normalize).normalizes());
  CHECK((Pad{1} | CenterCrop{8} | RandomVerticalFlip{} | RandomCrop(8, {.padding = 2})).output_size() ==
        Size{8, 8});
  expect_error<ArgumentError>([&] { pixels | CenterCrop{8}; }, {"geometry", "before", "pixels", "order"});
  expect_error<ArgumentError>([] { Grayscale{} | RandomHorizontalFlip{}; }, {"geometry", "before"});
  expect_error<ArgumentError>([&] { RandomErasing{} | (Resize{8} | pixels); }, {"geometry", "before"});
  expect_error<ArgumentError>([&] { normalize | RandomErasing{}; }, {"Normalize", "last"});
  expect_error<ArgumentError>([&] { normalize | normalize; }, {"Normalize", "last"});
}

TEST_CASE("what may paint a border comes behind the last resize") {
  const char* const text = "borders is not resized";
  expect_error<ArgumentError>([] { Pad{1} | CenterCrop{8} | Resize{8}; }, {text});
  expect_error<ArgumentError>([] { RandomCrop(8, {.padding = 1}) | RandomResizedCrop{8}; }, {text});
  expect_error<ArgumentError>([] { RandomCrop(8, {.pad_if_needed = true}) | Resize{8}; }, {text});
  CHECK((Pad{0} | RandomCrop{8} | Resize(4, 4) | Pad{1}).output_size() == Size{6, 6});
}

TEST_CASE("a pipeline of geometry plans no edits, and one of edits leaves the geometry alone") {
  Rng rng(1, 2, 3);
  CHECK(leat::detail::plan(RandomResizedCrop{24} | RandomHorizontalFlip{}, {50, 40}, rng).edits.empty());
  const ImagePlan plan = leat::detail::plan(Grayscale{} | RandomInvert{1}, {50, 40}, rng);
  CHECK(plan.edits.size() == 2);
  CHECK(plan.canvas.size() == Size{50, 40});
  CHECK(plan.canvas.geometry().x().is_copy());
  CHECK((Grayscale{} | RandomInvert{1}).output_size(Size{50, 40}) == Size{50, 40});
}

TEST_CASE("a pipeline refuses what a constructor would have refused") {
  const auto refused = [](auto transform, auto change, std::initializer_list<std::string_view> fragments) {
    change(transform);
    expect_error<ArgumentError>([&] { TransformPipeline{transform}; }, fragments);
  };
  refused(Resize(8), [](Resize& t) { t.filter = static_cast<Filter>(77); }, {"Resize", "filter", "77"});
  refused(Resize(8), [](Resize& t) { t.size = {4, 4}; }, {"Resize", "shorter edge and a size"});
  refused(RandomResizedCrop(8), [](RandomResizedCrop& t) { t.filter_reach = static_cast<FilterReach>(9); },
          {"filter_reach"});
  refused(Pad(1), [](Pad& t) { t.mode = static_cast<PaddingMode>(50); }, {"Pad", "mode", "50"});
  refused(Pad(1), [](Pad& t) { t.padding.left = 1 << 30; }, {"Pad", "are the most"});
  refused(RandomCrop(8), [](RandomCrop& t) { t.options.padding.top = -1; }, {"RandomCrop", "not negative"});
  refused(RandomInvert(), [](RandomInvert& t) { t.p = 2; }, {"RandomInvert", "p is 2"});
  refused(ColorJitter(), [](ColorJitter& t) { t.hue = Interval{-1, 0}; }, {"ColorJitter", "hue"});
  refused(Normalize({0, 0, 0}, {1, 1, 1}), [](Normalize& t) { t.std[1] = 0; }, {"Normalize", "channel 1"});
}

}  // namespace leat::test
