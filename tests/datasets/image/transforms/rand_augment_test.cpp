#include "leat/datasets/image/transforms/transform_plan.h"

#include <array>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>

#include "leat/datasets/image/transforms/augmentations.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/transforms/edits_of.h"
#include "tests/support/chi_squared.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kImageBytes{331, 662};

double magnitude(Augmentation what, int bin) {
  return magnitude_of(what, bin, 31, kImageBytes);
}

template <class E>
E edit_for(Augmentation what, double magnitude, Size image = kImageBytes) {
  const std::optional<PixelEdit> edit = edit_of(what, magnitude, image, {5, 6, 7});
  REQUIRE(edit.has_value());
  return edit_at<E>({*edit});
}

// The image after the edit.
Image edited(Augmentation what, double magnitude, const Image& source) {
  Image image = source, scratch;
  apply(*edit_of(what, magnitude, source.size(), {5, 6, 7}), image.view(), scratch);
  return image;
}

}  // namespace

TEST_CASE("RandAugment's magnitudes are linear from bin 0 to bin 30") {
  for (int bin = 0; bin < 31; ++bin) {
    INFO("bin " << bin);
    const auto is = [bin](Augmentation what, double value) {
      return magnitude(what, bin) == Catch::Approx(value).margin(1e-5);
    };
    CHECK(is(Augmentation::identity, 0));
    CHECK(is(Augmentation::shear_x, bin * 0.01));
    CHECK(is(Augmentation::shear_y, bin * 0.01));
    CHECK(is(Augmentation::translate_x, bin * 5.0));   // 150 / 331 of the width
    CHECK(is(Augmentation::translate_y, bin * 10.0));  // of the height
    CHECK(is(Augmentation::rotate, bin));
    for (const Augmentation factor :
         {Augmentation::brightness, Augmentation::color, Augmentation::contrast, Augmentation::sharpness}) {
      CHECK(is(factor, bin * 0.03));
    }
    CHECK(is(Augmentation::solarize, 255 - bin * 8.5));
    CHECK(is(Augmentation::auto_contrast, 0));
    CHECK(is(Augmentation::equalize, 0));
  }
}

TEST_CASE("RandAugment's bits go down from 8 to 4, at every quarter of the bins") {
  const std::array<int, 31> bits{8, 8, 8, 8, 7, 7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6,
                                 6, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 4};  // 8 - round(bin / 7.5)
  for (int bin = 0; bin < 31; ++bin) {
    INFO("bin " << bin);
    CHECK(magnitude(Augmentation::posterize, bin) == bits[static_cast<std::size_t>(bin)]);
  }
  CHECK(magnitude_of(Augmentation::posterize, 1, 3, kImageBytes) == 6);
  CHECK(magnitude_of(Augmentation::posterize, 1, 9, kImageBytes) == 8);  // round(0.5) is 0
  CHECK(magnitude_of(Augmentation::posterize, 3, 9, kImageBytes) == 6);  // round(1.5) is 2
}

TEST_CASE("each augmentation's edit has the numbers that its magnitude says") {
  CHECK_FALSE(edit_of(Augmentation::identity, 0, kImageBytes, {}).has_value());
  CHECK(edit_for<edit::Affine>(Augmentation::shear_x, 0.25).matrix.b == Catch::Approx(0.25));
  CHECK(edit_for<edit::Affine>(Augmentation::shear_y, -0.25).matrix.d == Catch::Approx(-0.25));
  CHECK(edit_for<edit::Affine>(Augmentation::translate_x, -45.9).matrix.c == 45);
  CHECK(edit_for<edit::Affine>(Augmentation::translate_y, 45.9).matrix.f == -45);
  CHECK(edit_for<edit::Affine>(Augmentation::translate_y, 45.9).fill == Rgb{5, 6, 7});
  CHECK(edit_for<edit::Brightness>(Augmentation::brightness, -0.25).factor == 0.75);
  CHECK(edit_for<edit::Saturation>(Augmentation::color, 0.25).factor == 1.25);
  CHECK(edit_for<edit::Contrast>(Augmentation::contrast, 0.25).factor == 1.25);
  CHECK(edit_for<edit::Sharpness>(Augmentation::sharpness, 0.25).factor == 1.25);
  CHECK(edit_for<edit::Posterize>(Augmentation::posterize, 5).bits == 5);
  CHECK(edit_for<edit::Solarize>(Augmentation::solarize, 178.5).threshold == 179);  // 178 < 178.5 stays
  CHECK(edit_for<edit::Solarize>(Augmentation::solarize, 0).threshold == 0);
  edit_for<edit::AutoContrast>(Augmentation::auto_contrast, 0);
  edit_for<edit::Equalize>(Augmentation::equalize, 0);
}

TEST_CASE("a positive rotation turns counter-clockwise about the middle") {
  const AffineMatrix turn = edit_for<edit::Affine>(Augmentation::rotate, 30, {40, 20}).matrix;
  // Output (x, y) takes the source at the middle + R (x - 20, y - 10), y downwards.
  const double cosine = std::cos(std::numbers::pi / 6), sine = 0.5;
  CHECK(turn.a == Catch::Approx(cosine));
  CHECK(turn.b == Catch::Approx(-sine));
  CHECK(turn.d == Catch::Approx(sine));
  CHECK(turn.e == Catch::Approx(cosine));
  CHECK(turn.c == Catch::Approx(20 - cosine * 20 + sine * 10));
  CHECK(turn.f == Catch::Approx(10 - sine * 20 - cosine * 10));
  const AffineMatrix back = edit_for<edit::Affine>(Augmentation::rotate, -30, {40, 20}).matrix;
  CHECK(back.b == Catch::Approx(sine));

  const Image source = image_of({3, 3}, [](int x, int y, int) { return 10 * y + x; });
  const Image turned = edited(Augmentation::rotate, 90, source);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) CHECK(turned.view().pixel(x, y)[0] == 10 * x + 2 - y);
  }
}

TEST_CASE("translations move the image and fill what they leave, as shears do") {
  const Image source = image_of({8, 4}, formula);
  const Image right = edited(Augmentation::translate_x, 2, source),
              up = edited(Augmentation::translate_y, -1.5, source);
  const Image sheared = edited(Augmentation::shear_x, 0.5, source);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      CHECK(right.view().pixel(x, y)[1] == (x < 2 ? 6 : formula(x - 2, y, 1)));
      CHECK(up.view().pixel(x, y)[1] == (y == 3 ? 6 : formula(x, y + 1, 1)));
    }
  }
  CHECK(sheared.view().pixel(0, 3)[1] == formula(2, 3, 1));  // 0.5 + 0.5 * 3.5 is in column 2
  CHECK(sheared.view().pixel(7, 3)[1] == 6);
}

TEST_CASE("RandAugment draws which, then the sign of what has one, for each operation") {
  for (std::uint64_t index = 0; index < 200; ++index) {
    INFO("index " << index);
    Rng rng(9, 8, index);
    PixelEdits expected;
    for (int i = 0; i < 3; ++i) {
      const auto what = static_cast<Augmentation>(rng.below(14));
      double strength = magnitude_of(what, 12, 31, {64, 48});
      if (has_sign(what) && rng.below(2) == 1) strength = -strength;
      if (const auto edit = edit_of(what, strength, {64, 48}, {})) expected.push_back(*edit);
    }
    const PixelEdits edits = edits_of(RandAugment{3, 12}, {64, 48}, Rng(9, 8, index));
    REQUIRE(edits.size() == expected.size());
    for (std::size_t i = 0; i < edits.size(); ++i) {
      REQUIRE(edits[i].index() == expected[i].index());
      Image one = image_of({64, 48}, formula), other = image_of({64, 48}, formula), scratch;
      apply(edits[i], one.view(), scratch);
      apply(expected[i], other.view(), scratch);
      REQUIRE(std::equal(one.view().data, one.view().row(48), other.view().data));
    }
  }
}

TEST_CASE("RandAugment takes its operations equally often, and either sign") {
  std::vector<double> counts(14);
  double negative = 0, turned = 0;
  for (std::uint64_t index = 0; index < 2800; ++index) {
    const PixelEdits edits = edits_of(RandAugment{1, 9}, {64, 48}, Rng(13, 0, index));
    if (edits.empty()) {
      ++counts[0];
      continue;
    }
    const PixelEdit& edit = edits[0];
    if (const auto* moved = std::get_if<edit::Affine>(&edit)) {
      const AffineMatrix& m = moved->matrix;
      const bool turns = m.b != 0 && m.d != 0;
      if (turns) ++turned;
      if (turns && m.b > 0) ++negative;
      ++counts[turns ? 1 : m.b != 0 ? 2 : m.d != 0 ? 3 : m.c != 0 ? 4 : 5];
    } else {
      constexpr std::array<std::size_t, 13> kPlace{6, 7, 8, 9, 0, 0, 0, 10, 11, 12, 13, 0, 0};
      ++counts[kPlace[edit.index()]];
    }
  }
  INFO("seed 13");
  CHECK(chi_squared(counts, std::vector<double>(14, 200)) < chi_squared_limit(13));
  CHECK(std::abs(negative - turned / 2) < 2 * std::sqrt(turned));  // four standard deviations
}

TEST_CASE("RandAugment refuses parameters out of range") {
  CHECK(edits_of(RandAugment{0}, {8, 8}, Rng(1, 1, 1)).empty());
  expect_error<ArgumentError>([] { RandAugment{-1}; }, {"RandAugment", "num_ops is -1"});
  expect_error<ArgumentError>([] { RandAugment(2, 31); }, {"magnitude is 31", "[0, 30]"});
  expect_error<ArgumentError>([] { RandAugment(2, 0, 1); }, {"num_magnitude_bins is 1"});
}

}  // namespace leat::test
