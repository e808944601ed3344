#include "leat/datasets/image/codecs/orientation.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/rng.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// The segment that with_exif() writes, from "Exif" on.
Bytes segment(int orientation, bool little_endian) {
  const Bytes jpeg = with_exif(gray_jpeg({1, 1}, 0), orientation, little_endian);
  return {jpeg.begin() + 6, jpeg.begin() + 6 + 44};
}

}  // namespace

TEST_CASE("an orientation is read in either byte order, and numbers that are none are upright") {
  for (const bool little : {true, false}) {
    CHECK(exif_orientation(segment(1, little)) == Orientation{});
    CHECK(exif_orientation(segment(2, little)) == Orientation{false, true, false});
    CHECK(exif_orientation(segment(6, little)) == Orientation{true, true, false});
    CHECK(exif_orientation(segment(8, little)) == Orientation{true, false, true});
    CHECK(exif_orientation(segment(0, little)) == Orientation{});
    CHECK_FALSE(exif_orientation(segment(9, little)));
  }
}

TEST_CASE("cut or damaged EXIF data is upright or a valid orientation, never a crash") {
  for (const bool little : {true, false}) {
    const Bytes whole = segment(6, little);
    for (std::size_t size = 0; size < 38; ++size) {  // the orientation's entry ends at 40, its value at 38
      CHECK(exif_orientation(std::span(whole).first(size)).value_or(Orientation{}).is_upright());
    }
    CHECK_FALSE(exif_orientation(whole)->is_upright());
    Rng rng(5, 0, 0);
    INFO("seed 5");
    for (int i = 0; i < 20000; ++i) {
      Bytes damaged = whole;
      damaged[6 + rng.below(damaged.size() - 6)] = std::byte(rng.below(256));
      damaged[6 + rng.below(damaged.size() - 6)] = std::byte(rng.below(256));
      exif_orientation(damaged);
    }
  }
}

TEST_CASE("turning a part upright gives the pixels of the same part of the turned whole") {
  const Image stored = image_of({23, 11}, formula);
  for (int number = 1; number <= 8; ++number) {
    INFO("orientation " << number);
    const Orientation orientation = exif_orientation(segment(number, true)).value();
    const Size upright = oriented(stored.size(), orientation);
    Image whole(upright);
    turn_upright(stored.view(), orientation, whole.view());
    const PixelRange rows{2, 9}, columns{3, 8};
    const StoredPart part = stored_part(rows, columns, upright, orientation);
    const ImageView view{stored.view().pixel(part.columns.first, part.rows.first),
                         {part.columns.size(), part.rows.size()},
                         stored.view().stride};
    Image turned({5, 7});
    turn_upright(view, orientation, turned.view());
    for (int y = 0; y < 7; ++y) {
      for (int x = 0; x < 15; ++x) REQUIRE(turned.view().row(y)[x] == whole.view().pixel(3, 2 + y)[x]);
    }
  }
}

}  // namespace leat::test
