#include "leat/datasets/image/resample/resample.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <span>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kSource{37, 23};

Image run(const Image& source, const Geometry& geometry) {
  Resampler resampler;
  resampler.prepare(geometry);
  Image out(geometry.output());
  resampler.run({source.view(), 0, 0}, out.view());
  return out;
}

struct Golden {
  std::array<int, 2> corner;
  Size box;
  Size size;
  Filter filter;
  std::array<int, 3> middle;  // pixel (width / 2, height / 2)
  std::uint64_t checksum;     // FNV-1a of all bytes
};

// Made with Pillow 9.4: fromarray(formula image).resize(size, filter, box).
constexpr Golden kGolden[] = {
    {{0, 0}, {37, 23}, {16, 16}, Filter::box, {227, 149, 71}, 0xcb7b7683604cc5e4},
    {{0, 0}, {37, 23}, {16, 16}, Filter::bilinear, {165, 164, 99}, 0xbbcd9729d91e9685},
    {{0, 0}, {37, 23}, {16, 16}, Filter::bicubic, {185, 175, 84}, 0x8387ac786445e142},
    {{0, 0}, {37, 23}, {74, 46}, Filter::box, {95, 145, 195}, 0xb4b055f4eb4afd91},
    {{0, 0}, {37, 23}, {74, 46}, Filter::bilinear, {122, 172, 158}, 0x47ff9125973fa205},
    {{0, 0}, {37, 23}, {74, 46}, Filter::bicubic, {124, 180, 171}, 0x91b8d4a8dbfce32c},
    {{0, 0}, {37, 23}, {37, 9}, Filter::box, {95, 145, 110}, 0x941e8b12f12a1e2a},
    {{0, 0}, {37, 23}, {37, 9}, Filter::bilinear, {116, 124, 115}, 0xf4c256b6cc6a87a8},
    {{0, 0}, {37, 23}, {37, 9}, Filter::bicubic, {114, 126, 106}, 0x35f58724ec9cc5dc},
    {{0, 0}, {37, 23}, {1, 1}, Filter::box, {130, 128, 127}, 0x3daa891ae86cefc0},
    {{0, 0}, {37, 23}, {1, 1}, Filter::bilinear, {131, 128, 127}, 0x3867601ae668a56b},
    {{0, 0}, {37, 23}, {1, 1}, Filter::bicubic, {130, 128, 127}, 0x3daa891ae86cefc0},
    {{5, 3}, {27, 17}, {16, 16}, Filter::box, {205, 255, 49}, 0x38ed3fa3cc492583},
    {{5, 3}, {27, 17}, {16, 16}, Filter::bilinear, {167, 193, 110}, 0x845c4728c5451531},
    {{5, 3}, {27, 17}, {16, 16}, Filter::bicubic, {187, 220, 105}, 0x5216e6db49bc6019},
    {{5, 3}, {27, 17}, {74, 46}, Filter::box, {95, 145, 195}, 0x204ea76cc6816be9},
    {{5, 3}, {27, 17}, {74, 46}, Filter::bilinear, {115, 165, 167}, 0x41adf2cb758f3632},
    {{5, 3}, {27, 17}, {74, 46}, Filter::bicubic, {116, 169, 181}, 0x82821c00d65eb80d},
    {{5, 3}, {27, 17}, {37, 9}, Filter::box, {95, 145, 195}, 0x1234814b6d8d3a2e},
    {{5, 3}, {27, 17}, {37, 9}, Filter::bilinear, {95, 145, 133}, 0x0defff2e4d8aa852},
    {{5, 3}, {27, 17}, {37, 9}, Filter::bicubic, {91, 149, 128}, 0xded89bb05c10c679},
    {{5, 3}, {27, 17}, {1, 1}, Filter::box, {132, 127, 125}, 0x0c93911acd704a9b},
    {{5, 3}, {27, 17}, {1, 1}, Filter::bilinear, {131, 128, 126}, 0x38675f1ae668a3b8},
    {{5, 3}, {27, 17}, {1, 1}, Filter::bicubic, {131, 128, 126}, 0x38675f1ae668a3b8},
    {{30, 16}, {7, 7}, {16, 16}, Filter::box, {55, 105, 155}, 0x22abe8d811b61a7d},
    {{30, 16}, {7, 7}, {16, 16}, Filter::bilinear, {94, 131, 138}, 0x2996252f282d0231},
    {{30, 16}, {7, 7}, {16, 16}, Filter::bicubic, {70, 126, 152}, 0x3465cb6784184b78},
    {{30, 16}, {7, 7}, {74, 46}, Filter::box, {55, 105, 155}, 0xd6592234581ab5d9},
    {{30, 16}, {7, 7}, {74, 46}, Filter::bilinear, {67, 116, 147}, 0x33b514bfb26da093},
    {{30, 16}, {7, 7}, {74, 46}, Filter::bicubic, {54, 109, 155}, 0xd2cfe2857b609a9d},
    {{30, 16}, {7, 7}, {37, 9}, Filter::box, {55, 105, 155}, 0x692cdab296c7475e},
    {{30, 16}, {7, 7}, {37, 9}, Filter::bilinear, {55, 105, 155}, 0x7286a0adf24bbeef},
    {{30, 16}, {7, 7}, {37, 9}, Filter::bicubic, {55, 105, 155}, 0xfac36c5f0354bc1d},
    {{30, 16}, {7, 7}, {1, 1}, Filter::box, {128, 126, 129}, 0x2d385d1adf5c5916},
    {{30, 16}, {7, 7}, {1, 1}, Filter::bilinear, {128, 124, 128}, 0x2d3f2a1adf62211b},
    {{30, 16}, {7, 7}, {1, 1}, Filter::bicubic, {128, 124, 129}, 0x2d3f291adf621f68},
    {{0, 0}, {37, 23}, {16, 16}, Filter::lanczos, {197, 179, 70}, 0xaeddd488f4b7fe42},
    {{0, 0}, {37, 23}, {74, 46}, Filter::lanczos, {132, 189, 175}, 0x3affe74082beb168},
    {{0, 0}, {37, 23}, {37, 9}, Filter::lanczos, {121, 122, 95}, 0x2707525a67a3ff16},
    {{0, 0}, {37, 23}, {1, 1}, Filter::lanczos, {130, 128, 127}, 0x3daa891ae86cefc0},
    {{5, 3}, {27, 17}, {16, 16}, Filter::lanczos, {207, 237, 101}, 0x1f1ddd95970e7277},
    {{5, 3}, {27, 17}, {74, 46}, Filter::lanczos, {123, 176, 184}, 0x6500491c9385d4ed},
    {{5, 3}, {27, 17}, {37, 9}, Filter::lanczos, {89, 151, 122}, 0xf2c2ecae5ae87d96},
    {{5, 3}, {27, 17}, {1, 1}, Filter::lanczos, {131, 128, 126}, 0x38675f1ae668a3b8},
    {{30, 16}, {7, 7}, {16, 16}, Filter::lanczos, {67, 129, 160}, 0xbcd6e31702804125},
    {{30, 16}, {7, 7}, {74, 46}, Filter::lanczos, {53, 111, 157}, 0x3a269cb36443734d},
    {{30, 16}, {7, 7}, {37, 9}, Filter::lanczos, {55, 105, 155}, 0x990dc46f1debfdce},
    {{30, 16}, {7, 7}, {1, 1}, Filter::lanczos, {128, 123, 129}, 0x2d42911adf6505f7},
};

// Made with Pillow 9.4: fromarray(formula image).crop(box).resize(size, filter), as torchvision's resized_crop().
constexpr Golden kGoldenCrops[] = {
    {{5, 3}, {27, 17}, {16, 16}, Filter::box, {205, 255, 49}, 0x38ed3fa3cc492583},
    {{5, 3}, {27, 17}, {16, 16}, Filter::bilinear, {167, 193, 110}, 0x8d19c2a0f0fdbef5},
    {{5, 3}, {27, 17}, {16, 16}, Filter::bicubic, {187, 220, 105}, 0x2d6336924f8ff860},
    {{5, 3}, {27, 17}, {16, 16}, Filter::lanczos, {207, 237, 101}, 0xa40b2f4886bb12d6},
    {{5, 3}, {27, 17}, {74, 46}, Filter::box, {95, 145, 195}, 0x204ea76cc6816be9},
    {{5, 3}, {27, 17}, {74, 46}, Filter::bilinear, {115, 165, 167}, 0x65891a80e1d2f026},
    {{5, 3}, {27, 17}, {74, 46}, Filter::bicubic, {116, 169, 181}, 0xa8d1ba051654b7c2},
    {{5, 3}, {27, 17}, {74, 46}, Filter::lanczos, {123, 176, 184}, 0xe68b1280ddb47a70},
    {{5, 3}, {27, 17}, {27, 9}, Filter::box, {95, 145, 195}, 0xcc38d998336f96ac},
    {{5, 3}, {27, 17}, {27, 9}, Filter::bilinear, {95, 145, 133}, 0xab2fc1976fe7456b},
    {{5, 3}, {27, 17}, {27, 9}, Filter::bicubic, {91, 149, 128}, 0xd767593d59176ea9},
    {{5, 3}, {27, 17}, {27, 9}, Filter::lanczos, {89, 151, 122}, 0x8c2965009e09f9ce},
    {{30, 16}, {7, 7}, {16, 16}, Filter::box, {55, 105, 155}, 0x22abe8d811b61a7d},
    {{30, 16}, {7, 7}, {16, 16}, Filter::bilinear, {94, 131, 138}, 0x39ff2fe6eb93e3c4},
    {{30, 16}, {7, 7}, {16, 16}, Filter::bicubic, {70, 126, 152}, 0x138eda84cfffad49},
    {{30, 16}, {7, 7}, {16, 16}, Filter::lanczos, {67, 129, 160}, 0xb38579bccbceebb5},
    {{30, 16}, {7, 7}, {74, 46}, Filter::box, {55, 105, 155}, 0xd6592234581ab5d9},
    {{30, 16}, {7, 7}, {74, 46}, Filter::bilinear, {67, 116, 147}, 0xd3f2d48a47b86576},
    {{30, 16}, {7, 7}, {74, 46}, Filter::bicubic, {54, 109, 155}, 0x7a73ef4101b390bd},
    {{30, 16}, {7, 7}, {74, 46}, Filter::lanczos, {53, 111, 157}, 0xb702bf8da706ace1},
};

void check_golden(std::span<const Golden> wanted, FilterReach reach) {
  const Image source = image_of(kSource, formula);
  for (const Golden& golden : wanted) {
    INFO(name_of(golden.filter) << " of " << to_string(golden.box) << " at " << golden.corner[0] << " to "
                                << to_string(golden.size));
    Geometry geometry(kSource);
    geometry.crop(golden.corner[0], golden.corner[1], golden.box);
    geometry.resize(golden.size, golden.filter, reach);
    const Image out = run(source, geometry);
    const ImageView view = out.view();
    const std::uint8_t* middle = view.pixel(golden.size.width / 2, golden.size.height / 2);
    CHECK(std::array<int, 3>{middle[0], middle[1], middle[2]} == golden.middle);
    CHECK(fnv1a(out) == golden.checksum);
  }
}

}  // namespace

TEST_CASE("resampling gives the bytes of Pillow's resize with a box, where the filter may reach beyond it") {
  check_golden(kGolden, FilterReach::image);
}

TEST_CASE("resampling a crop gives the bytes of Pillow's crop and resize") {
  check_golden(kGoldenCrops, FilterReach::crop);
}

TEST_CASE("a crop is resampled as if nothing lay beside it, flipped or not") {
  const Image source = image_of({90, 70}, formula);
  Rng rng(11, 0, 0);
  const auto below = [&](int limit) {
    return static_cast<int>(rng.below(static_cast<std::uint64_t>(limit)));
  };
  for (int i = 0; i < 400; ++i) {
    const Size box{1 + below(90), 1 + below(70)}, size{1 + below(120), 1 + below(120)};
    const int left = below(91 - box.width), top = below(71 - box.height);
    const auto filter = static_cast<Filter>(below(4));
    INFO(name_of(filter) << " of " << to_string(box) << " at " << left << ", " << top << " to "
                         << to_string(size));
    const Image cut =
        image_of(box, [&](int x, int y, int c) { return source.view().pixel(left + x, top + y)[c]; });
    Geometry part(source.size()), whole(box);
    part.crop(left, top, box);
    part.resize(size, filter);
    whole.resize(size, filter);
    if (rng.bernoulli(0.5)) part.flip(), whole.flip();
    if (rng.bernoulli(0.5)) part.flip_vertically(), whole.flip_vertically();
    Resampler resampler;
    resampler.prepare(part);
    CHECK(resampler.source_columns().first >= left);
    CHECK(resampler.source_columns().last <= left + box.width);
    CHECK(resampler.source_rows().first >= top);
    CHECK(resampler.source_rows().last <= top + box.height);
    REQUIRE(equal(run(source, part), run(cut, whole)));
  }
}

TEST_CASE("a window of a resampling holds the same pixels as the whole") {
  const Image source = image_of(kSource, formula);
  for (const Filter filter : {Filter::box, Filter::bilinear, Filter::bicubic, Filter::lanczos}) {
    Geometry whole(kSource);
    whole.resize({50, 11}, filter);
    Geometry part = whole;
    part.crop(13, 2, {20, 7});
    const Image all = run(source, whole), some = run(source, part);
    const auto shifted = [&](int x, int y, int c) { return all.view().pixel(x + 13, y + 2)[c]; };
    CHECK(equal(some, image_of({20, 7}, shifted)));
  }
}

TEST_CASE("a flip mirrors exactly, with and without resampling") {
  const Image source = image_of(kSource, formula);
  Geometry scaled(kSource), vertical(kSource), plain(kSource);
  scaled.crop(3, 4, {20, 15});
  scaled.resize({31, 40}, Filter::bicubic);
  vertical.resize({37, 50}, Filter::bilinear);
  for (Geometry geometry : {plain, scaled, vertical}) {
    const Image straight = run(source, geometry);
    geometry.flip();
    const int last = straight.size().width - 1;
    const auto mirrored = [&](int x, int y, int c) { return straight.view().pixel(last - x, y)[c]; };
    CHECK(equal(run(source, geometry), image_of(straight.size(), mirrored)));
  }
}

TEST_CASE("a vertical flip turns rows about exactly, with and without resampling") {
  const Image source = image_of(kSource, formula);
  Geometry scaled(kSource), plain(kSource);
  scaled.crop(3, 4, {20, 15});
  scaled.resize({31, 40}, Filter::bicubic);
  for (Geometry geometry : {plain, scaled}) {
    const Image straight = run(source, geometry);
    geometry.flip_vertically();
    const int last = straight.size().height - 1;
    const auto turned = [&](int x, int y, int c) { return straight.view().pixel(x, last - y)[c]; };
    CHECK(equal(run(source, geometry), image_of(straight.size(), turned)));
  }
}

TEST_CASE("without a resize pixels are copied") {
  const Image source = image_of(kSource, formula);
  CHECK(equal(run(source, Geometry(kSource)), source));
  Geometry geometry(kSource);
  geometry.crop(5, 6, {7, 8});
  CHECK(equal(run(source, geometry),
              image_of({7, 8}, [](int x, int y, int c) { return formula(x + 5, y + 6, c); })));
}

TEST_CASE("a plain surface stays plain under every filter") {
  const Image source = image_of(kSource, [](int, int, int c) { return c * 127; });
  for (const Filter filter : {Filter::box, Filter::bilinear, Filter::bicubic, Filter::lanczos}) {
    for (const Size size : {Size{3, 200}, Size{200, 3}, Size{36, 22}, Size{1, 1}}) {
      Geometry geometry(kSource);
      geometry.resize(size, filter);
      CHECK(equal(run(source, geometry), image_of(size, [](int, int, int c) { return c * 127; })));
    }
  }
}

TEST_CASE("the box filter at half the size is the mean of four, rounded half up in each direction") {
  const Image source = image_of({8, 6}, formula);
  Geometry geometry({8, 6});
  geometry.resize({4, 3}, Filter::box);
  const auto mean = [](int x, int y, int c) {
    const auto pair = [&](int row) { return (formula(2 * x, row, c) + formula(2 * x + 1, row, c) + 1) / 2; };
    return (pair(2 * y) + pair(2 * y + 1) + 1) / 2;
  };
  CHECK(equal(run(source, geometry), image_of({4, 3}, mean)));
}

TEST_CASE("a tile with just the rows and columns asked for gives the same bytes") {
  const Image source = image_of(kSource, formula);
  Geometry geometry(kSource);
  geometry.crop(9, 8, {12, 9});
  geometry.resize({5, 4}, Filter::bicubic);
  Resampler resampler;
  resampler.prepare(geometry);
  const PixelRange rows = resampler.source_rows(), columns = resampler.source_columns();
  CHECK(rows.size() < kSource.height);
  CHECK(columns.size() < kSource.width);
  const Image tile = image_of({columns.size(), rows.size()}, [&](int x, int y, int c) {
    return formula(x + columns.first, y + rows.first, c);
  });
  Image out(geometry.output());
  resampler.run({tile.view(), columns.first, rows.first}, out.view());
  CHECK(equal(out, run(source, geometry)));

  const ImageTile moved{tile.view(), columns.first + 1, rows.first};
  expect_error<ArgumentError>([&] { resampler.run(moved, out.view()); }, {"columns", "are needed"});
  Image wrong({5, 5});
  expect_error<ArgumentError>(
      [&] {
        resampler.run({tile.view(), columns.first, rows.first}, wrong.view());
      },
      {"5 x 5", "5 x 4"});
}

TEST_CASE("an image is resampled into rows of a larger one") {
  const Image source = image_of(kSource, formula);
  Geometry geometry(kSource);
  geometry.resize({4, 5}, Filter::bilinear);
  Image large = image_of({9, 5}, [](int, int, int) { return 77; });
  Resampler resampler;
  resampler.prepare(geometry);
  resampler.run({source.view(), 0, 0}, MutableImageView{large.view().data, {4, 5}, large.view().stride});
  const Image alone = run(source, geometry);
  const auto wanted = [&](int x, int y, int c) { return x < 4 ? alone.view().pixel(x, y)[c] : 77; };
  CHECK(equal(large, image_of({9, 5}, wanted)));
}

}  // namespace leat::test
