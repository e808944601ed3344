#include "leat/datasets/image/pixels/tables.h"

#include "leat/datasets/errors.h"
#include "tests/datasets/image/every_target.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/pixels/pixel_images.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Golden {
  const char* name;
  void (*change)(MutableImageView);
  std::uint64_t restless, calm;  // checksums
};

// Pillow 9.4: ImageOps.
constexpr Golden kGolden[] = {
    {"invert", invert, 0xd0669d29503862c9, 0x40dc42ae3be0298e},
    {"posterize to 1", [](MutableImageView v) { posterize(v, 1); }, 0xf1ade4e2b6784c7f, 0xb9fff3ede10e3a7f},
    {"posterize to 4", [](MutableImageView v) { posterize(v, 4); }, 0x9fe9f322e9ca8d4f, 0xe6e085532fa069af},
    {"posterize to 8", [](MutableImageView v) { posterize(v, 8); }, 0xa4aeeeabb61b1d80, 0x0799c86075b4701f},
    {"solarize", [](MutableImageView v) { solarize(v, 100); }, 0x870a683022708428, 0x54e4d880ed04c74c},
    {"auto_contrast", auto_contrast, 0x5f180cb8d2165720, 0xf33dbc5ec9f45a26},
    {"equalize", equalize, 0x71df1ae0bfbf5b47, 0x184c5ce2a7883306},
};

// The red bytes of a row.
template <class... Bytes>
Image reds(Bytes... bytes) {
  return row_of({Rgb{static_cast<std::uint8_t>(bytes), 0, 77}...});
}

}  // namespace

TEST_CASE("tables map bytes as Pillow's ImageOps do, on every instruction set") {
  on_every_target([] {
    for (const Golden& golden : kGolden) {
      INFO(golden.name);
      Image restless = golden_source(), calm = calm_source();
      GappyImage gappy(restless.view(), 1);
      for (const MutableImageView view : {restless.view(), calm.view(), gappy.view()}) golden.change(view);
      CHECK(fnv1a(restless) == golden.restless);
      CHECK(fnv1a(calm) == golden.calm);
      CHECK(fnv1a(gappy.view()) == golden.restless);
      CHECK(gappy.gaps_are_untouched());
    }
  });
}

TEST_CASE("no pixels stay no pixels") {
  for (const Golden& golden : kGolden) {
    Image none({5, 0});
    golden.change(none.view());
    CHECK(none.size() == Size{5, 0});
  }
}

TEST_CASE("posterizing keeps the highest bits") {
  Image image = row_of({{0b10110111, 0b01001000, 255}});
  posterize(image.view(), 3);
  CHECK(pixel_at(image, 0, 0) == Rgb{0b10100000, 0b01000000, 0b11100000});
  posterize(image.view(), 0);
  CHECK(pixel_at(image, 0, 0) == Rgb{0, 0, 0});
  for (const int bits : {-1, 9})
    expect_error<ArgumentError>([&] { posterize(image.view(), bits); }, {"highest bits"});
}

TEST_CASE("solarizing inverts from the threshold on") {
  const Image source = row_of({{0, 99, 100}, {101, 255, 128}});
  const auto solarized = [&](int threshold) {
    Image image = source;
    solarize(image.view(), threshold);
    return image;
  };
  CHECK(equal(solarized(100), row_of({{0, 99, 155}, {154, 0, 127}})));
  CHECK(equal(solarized(255), row_of({{0, 99, 100}, {101, 0, 128}})));
  CHECK(equal(solarized(256), source));
  CHECK(equal(solarized(1 << 30), source));
  Image inverted = source;
  invert(inverted.view());
  CHECK(equal(solarized(0), inverted));
  CHECK(equal(solarized(-5), inverted));
}

TEST_CASE("automatic contrast stretches each channel, but not one of a single value") {
  Image image = reds(50, 60, 101);
  auto_contrast(image.view());
  CHECK(equal(image, reds(0, 50, 255)));  // by 255 / 51 = 5
}

TEST_CASE("equalizing needs 255 pixels below the highest value") {
  // 254, then 255 pixels of 10, and one of 90. A step is 255 / 255 = 1 pixel: 10 gets 0, 90 gets 255.
  Image image({255, 1});
  fill_run(image.view().data, 254, {10, 4, 0});
  fill_run(image.view().pixel(254, 0), 1, {90, 4, 0});
  Image same = image;
  equalize(same.view());
  CHECK(equal(same, image));
  Image more({256, 1});
  fill_run(more.view().data, 255, {10, 4, 0});
  fill_run(more.view().pixel(255, 0), 1, {90, 4, 0});
  equalize(more.view());
  CHECK(pixel_at(more, 0, 0) == Rgb{0, 4, 0});
  CHECK(pixel_at(more, 255, 0) == Rgb{255, 4, 0});
}

}  // namespace leat::test
