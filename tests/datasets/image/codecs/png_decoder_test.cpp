#include "leat/datasets/image/codecs/png_decoder.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/codecs/png_chunks.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/png_bytes.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr Size kSize{13, 9};  // every pass of an interlaced image has pixels, none whole bytes of bits

// All pixels as the decoder gives them.
Image decoded(std::string_view file, const JpegLimits& limits = {}) {
  const auto bytes = bytes_of(file);
  ImageDecoder decoder;
  decoder.read_header(bytes, limits);
  const ImageTile tile = decoder.decode();
  return image_of(tile.pixels.size, [&](int x, int y, int c) { return tile.pixels.pixel(x, y)[c]; });
}

template <class Expected>
void check_pixels(const PngImage& png, const Expected& expected) {
  for (const bool interlaced : {false, true}) {
    PngImage made = png;
    made.interlaced = interlaced;
    const Image image = decoded(png_file(made));
    INFO("kind " << static_cast<int>(png.kind) << ", " << png.depth << " bits, interlaced " << interlaced);
    REQUIRE(image.size() == png.size);
    int wrong = 0;
    for (int y = 0; y < png.size.height; ++y) {
      for (int x = 0; x < png.size.width; ++x) {
        for (int c = 0; c < kChannels; ++c) wrong += image.view().pixel(x, y)[c] != expected(x, y, c);
      }
    }
    CHECK(wrong == 0);
  }
}

unsigned value_of(int x, int y, int sample, int depth) {
  const unsigned low = static_cast<unsigned>(formula(x, y, sample)),
                 high = static_cast<unsigned>(formula(y, x, sample));
  return (high << 8 | low) >> (16 - depth);
}

// 2^depth colors, none gray.
std::string palette(int colors) {
  std::string bytes;
  for (int i = 0; i < colors; ++i) {
    for (int c = 0; c < kChannels; ++c) bytes += static_cast<char>(i * 31 + c * 80);
  }
  return png_chunk("PLTE", bytes);
}

std::string plain_png(Size size = kSize, const std::string& before = {}) {
  return png_file({.size = size,
                   .value = [](int x, int y, int c) { return unsigned(formula(x, y, c)); },
                   .before = before});
}

std::string exif_of(unsigned orientation) {
  return FileBytes().text("II").u16(42).u32(8).u16(1).u16(0x0112).u16(3).u32(1).u32(orientation).u32(0).str();
}

std::string orientation_chunk(unsigned number) {
  return png_chunk("eXIf", exif_of(number));
}

// As ImageMagick writes it: name, length and hexadecimal digits, 72 in a line.
std::string raw_profile(const std::string& name, const std::string& bytes) {
  constexpr std::size_t kInLine = 36;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "\n" + name + "\n      " + std::to_string(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % kInLine == 0) text += '\n';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text + "\n";
}

DecodeWarnings warnings_of(std::string_view file, const JpegLimits& limits = {}) {
  const auto bytes = bytes_of(file);
  ImageDecoder decoder;
  decoder.read_header(bytes, limits);
  decoder.decode();
  return decoder.warnings();
}

DecodeWarnings only(DecodeWarning warning) {
  DecodeWarnings warnings;
  warnings.add(warning);
  return warnings;
}

}  // namespace

TEST_CASE("gray PNGs of every depth are spread to 8 bits, in three equal channels") {
  for (const int depth : {1, 2, 4, 8}) {
    const unsigned most = (1U << depth) - 1;
    const auto value = [=](int x, int y, int s) { return value_of(x, y, s, depth); };
    check_pixels({.size = kSize, .kind = PngKind::gray, .depth = depth, .value = value},
                 [&](int x, int y, int) { return static_cast<int>(value(x, y, 0) * 255 / most); });
  }
}

TEST_CASE("of PNGs with 16 bits the upper 8 are kept") {
  const auto value = [](int x, int y, int s) { return value_of(x, y, s, 16); };
  const auto color = [&](int x, int y, int c) { return static_cast<int>(value(x, y, c) >> 8); };
  const auto gray = [&](int x, int y, int) { return static_cast<int>(value(x, y, 0) >> 8); };
  check_pixels({.size = kSize, .kind = PngKind::gray, .depth = 16, .value = value}, gray);
  check_pixels({.size = kSize, .kind = PngKind::gray_alpha, .depth = 16, .value = value}, gray);
  check_pixels({.size = kSize, .kind = PngKind::rgb, .depth = 16, .value = value}, color);
  check_pixels({.size = kSize, .kind = PngKind::rgb_alpha, .depth = 16, .value = value}, color);
}

TEST_CASE("transparency of a PNG is left out, and blends nothing") {
  const auto value = [](int x, int y, int s) { return value_of(x, y, s, 8); };
  const auto color = [&](int x, int y, int c) { return static_cast<int>(value(x, y, c)); };
  const auto gray = [&](int x, int y, int) { return static_cast<int>(value(x, y, 0)); };
  check_pixels({.size = kSize, .kind = PngKind::rgb, .value = value}, color);
  check_pixels({.size = kSize, .kind = PngKind::rgb_alpha, .value = value}, color);
  check_pixels({.size = kSize, .kind = PngKind::gray_alpha, .value = value}, gray);
  const std::string one_gray = png_chunk("tRNS", FileBytes().big(std::uint16_t{50}));
  check_pixels({.size = kSize, .kind = PngKind::gray, .value = value, .before = one_gray}, gray);
  const std::string one_color = png_chunk("tRNS", FileBytes().zeros(6));
  check_pixels({.size = kSize, .kind = PngKind::rgb, .value = value, .before = one_color}, color);
}

TEST_CASE("palettes of a PNG are looked up, transparent or not, and colors that it lacks are black") {
  for (const int depth : {1, 2, 4, 8}) {
    const int colors = 1 << depth;
    const auto value = [=](int x, int y, int) { return value_of(x, y, 0, depth); };
    const auto expected = [&](int x, int y, int c) {
      return (static_cast<int>(value(x, y, 0)) * 31 + c * 80) & 255;
    };
    check_pixels(
        {.size = kSize, .kind = PngKind::palette, .depth = depth, .value = value, .before = palette(colors)},
        expected);
    const std::string transparent = palette(colors) + png_chunk("tRNS", std::string(2, '\x40'));
    check_pixels(
        {.size = kSize, .kind = PngKind::palette, .depth = depth, .value = value, .before = transparent},
        expected);
  }
  check_pixels({.size = kSize,
                .kind = PngKind::palette,
                .value = [](int, int, int) { return 200U; },
                .before = palette(2)},
               [](int, int, int) { return 0; });
}

TEST_CASE("a PNG of one pixel, of one row and of one column is decoded, interlaced too") {
  const auto value = [](int x, int y, int s) { return static_cast<unsigned>(formula(x, y, s)); };
  for (const Size size : {Size{1, 1}, Size{40, 1}, Size{1, 40}})
    check_pixels({.size = size, .value = value}, formula);
}

TEST_CASE("some rows and columns of a PNG are those of the whole") {
  for (const bool interlaced : {false, true}) {
    const auto file =
        bytes_of(png_file({.size = {30, 20}, .interlaced = interlaced, .value = [](int x, int y, int c) {
                             return static_cast<unsigned>(formula(x, y, c));
                           }}));
    PngDecoder decoder;
    REQUIRE(decoder.read_header(file) == Size{30, 20});
    decoder.start({5, 12}, {7, 21});
    for (int y = 5; y < 12; ++y) {
      const std::uint8_t* row = decoder.next_row();
      for (int i = 0; i < 14 * kChannels; ++i)
        REQUIRE(row[i] == formula(7 + i / kChannels, y, i % kChannels));
    }
    expect_error<ArgumentError>([&] { decoder.next_row(); }, {"no next row"});
    expect_error<ArgumentError>([&] { decoder.start({0, 1}, {0, 1}); }, {"read_header"});
    decoder.read_header(file);
    expect_error<ArgumentError>([&] { decoder.start({0, 21}, {0, 1}); }, {"rows [0, 21)", "30 x 20"});
  }
}

TEST_CASE("one loader takes PNGs and JPEGs in turn, through the same transforms") {
  const Image source = image_of({64, 48}, ramp);
  const auto png = encode_png(source.view());
  const auto jpeg = bytes_of("\xff\xd8\xff");
  Image out({32, 24}), expected({32, 24});
  Rng rng(1, 1, 1);
  const TransformPipeline half = Resize(24, 32);
  for (int round = 0; round < 2; ++round) {
    ImageLoader::of_this_thread().load(png, half, {.reducing_gap = 1}, rng, out.view());
    Resampler resampler;
    resampler.prepare(leat::detail::plan(half, {64, 48}, rng).canvas.geometry());
    resampler.run({source.view()}, expected.view());
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 32 * kChannels; ++x) REQUIRE(out.view().row(y)[x] == expected.view().row(y)[x]);
    }
    expect_error<DataError>([&] { ImageLoader::of_this_thread().load(jpeg, half, {}, rng, out.view()); },
                            {"JPEG"});
  }
}

TEST_CASE("the chunk eXIf turns a PNG upright where that is asked for") {
  const auto file = bytes_of(plain_png({5, 3}, orientation_chunk(6)));  // a quarter to the right
  PngDecoder decoder;
  decoder.read_header(file);
  CHECK(decoder.orientation().is_upright());
  decoder.read_header(file, {}, true);
  CHECK(decoder.orientation().exchanged);
  Image out({3, 5});
  Rng rng(1, 1, 1);
  ImageLoader::of_this_thread().load(file, Resize(5, 3), {.exif_orientation = true}, rng, out.view());
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 3; ++x) CHECK(out.view().pixel(x, y)[1] == formula(y, 2 - x, 1));
  }
}

TEST_CASE("what encode_png makes is decoded to the same pixels") {
  for (const Size size : {Size{1, 1}, Size{200, 130}}) {
    const Image image = image_of(size, formula), again = decoded(text_of(encode_png(image.view())));
    REQUIRE(again.size() == size);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width * kChannels; ++x)
        REQUIRE(again.view().row(y)[x] == image.view().row(y)[x]);
    }
  }
  expect_error<ArgumentError>([] { encode_png(ImageView{}); }, {"0 x 0"});
}

TEST_CASE("a PNG that was cut off is a DataError, wherever") {
  const std::string file = plain_png();
  for (std::size_t length = 8; length < file.size(); ++length) {
    INFO(length << " of " << file.size() << " bytes");
    expect_error<DataError>([&] { decoded(file.substr(0, length)); }, {"PNG data", "cut off"});
  }
}

TEST_CASE("a PNG with a wrong byte anywhere is a DataError") {
  const std::string file = plain_png(kSize, png_chunk("tEXt", std::string("a\0b", 3)));
  for (std::size_t at = 8; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 0x21);
    INFO("byte " << at << " of " << file.size());
    expect_error<DataError>([&] { decoded(changed); }, {"PNG data"});
  }
}

TEST_CASE("wrong CRCs are accepted where corrupt files are, and counted") {
  std::string text = png_chunk("tEXt", "a"), file = plain_png();
  text.back() ^= 1;
  const std::string with_text = plain_png(kSize, text);
  expect_error<DataError>([&] { decoded(with_text); }, {"CRC"});
  CHECK(decoded(with_text, {.allow_corrupt = true}).size() == kSize);
  file[file.size() - 13] ^= 1;  // the last byte of IDAT's
  expect_error<DataError>([&] { decoded(file); }, {"CRC"});
  CHECK(warnings_of(file, {.allow_corrupt = true}).has(DecodeWarning::missing_data));
  CHECK_FALSE(warnings_of(plain_png(), {.allow_corrupt = true}).any());
}

TEST_CASE("rows that a PNG lacks are black where corrupt files are allowed, and counted") {
  const Size size{40, 60};
  for (const bool interlaced : {false, true}) {
    const std::string file =
        png_file({.size = size, .interlaced = interlaced, .value = [](int x, int y, int c) {
                    return static_cast<unsigned>(formula(x, y, c) | 1);
                  }});
    const std::string cut = file.substr(0, file.size() * 2 / 3);
    expect_error<DataError>([&] { decoded(cut); }, {"cut off"});
    CHECK(warnings_of(cut, {.allow_corrupt = true}) == only(DecodeWarning::missing_data));
    const Image image = decoded(cut, {.allow_corrupt = true});
    int right = 0, black = 0;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        right += image.view().pixel(x, y)[0] == (formula(x, y, 0) | 1);
        black += image.view().pixel(x, y)[0] == 0;
      }
    }
    CHECK(right > size.width * size.height / 3);
    CHECK(black > 0);
    if (!interlaced) CHECK(right + black >= size.width * (size.height - 2));  // rows of what was cut through
  }
}

TEST_CASE("a color that the palette lacks is black, and counted") {
  const auto palette_png = [](unsigned index) {
    return png_file({.size = kSize,
                     .kind = PngKind::palette,
                     .value = [=](int x, int y, int) { return x == 3 && y == 4 ? index : 1U; },
                     .before = palette(2)});
  };
  CHECK_FALSE(warnings_of(palette_png(1)).any());
  CHECK(warnings_of(palette_png(2)) == only(DecodeWarning::palette_index));
  CHECK(decoded(palette_png(2)).view().pixel(3, 4)[0] == 0);
  PngDecoder decoder;  // of some rows alone
  const auto file = bytes_of(palette_png(200));
  decoder.read_header(file);
  decoder.start({3, 5}, {0, 1});
  decoder.next_row();
  CHECK_FALSE(decoder.warnings().any());
  decoder.next_row();
  CHECK(decoder.warnings() == only(DecodeWarning::palette_index));
}

TEST_CASE("EXIF data in a PNG's text turns it upright, as that in the chunk eXIf") {
  const std::string tiff = exif_of(6);
  const std::string plain = raw_profile("exif", tiff),
                    with_head = raw_profile("exif", "Exif" + std::string(2, '\0') + tiff);
  const auto keyword = [](const char* kind) {
    return std::string("Raw profile type ") + kind + std::string(1, '\0');
  };
  const std::string none(1, '\0');
  const std::vector<std::string> chunks{
      png_chunk("tEXt", keyword("exif") + plain),
      png_chunk("tEXt", keyword("APP1") + with_head),
      png_chunk("zTXt", keyword("APP1") + none + zlib_compressed(with_head)),
      png_chunk("iTXt", keyword("exif") + none + none + "en" + none + none + with_head),
      png_chunk("iTXt", keyword("exif") + "\1" + none + none + none + zlib_compressed(plain)),
  };
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    INFO("chunk " << i);
    PngDecoder decoder;
    const auto file = bytes_of(plain_png({5, 3}, chunks[i]));
    decoder.read_header(file, {}, true);
    CHECK(decoder.orientation() == Orientation{true, true, false});
    CHECK_FALSE(decoder.warnings().any());
    decoder.read_header(file);
    CHECK(decoder.orientation().is_upright());
    const auto both = bytes_of(plain_png({5, 3}, chunks[i] + orientation_chunk(1)));
    decoder.read_header(both, {}, true);  // the chunk of its own wins, as in Pillow
    CHECK(decoder.orientation().is_upright());
  }
}

TEST_CASE("damaged EXIF data in a PNG is counted where it is asked for") {
  const std::string key = std::string("Raw profile type exif") + '\0';
  const std::string zip = zlib_compressed(raw_profile("exif", exif_of(6)));
  for (const std::string& chunk :
       {png_chunk("eXIf", "II"), png_chunk("tEXt", key + "exif"), png_chunk("tEXt", key + "\nexif\n 8\n4d4d"),
        png_chunk("zTXt", key), png_chunk("zTXt", key + std::string(1, '\0') + zip.substr(0, 9)),
        png_chunk("iTXt", key), png_chunk("iTXt", key + "\1x")}) {
    PngDecoder decoder;
    const auto file = bytes_of(plain_png({5, 3}, chunk));
    decoder.read_header(file, {}, true);
    CHECK(decoder.warnings() == only(DecodeWarning::exif));
    CHECK(decoder.orientation().is_upright());
    decoder.read_header(file);
    CHECK_FALSE(decoder.warnings().any());
  }
}

TEST_CASE("limits on PNGs hold before memory is taken") {
  const auto claims = [](Size size, bool interlaced) {
    const PngImage image{.size = size, .interlaced = interlaced};
    return std::string(kPngSignature) + png_header(image) + png_chunk("IDAT", "x") + png_chunk("IEND", "");
  };
  expect_error<DataError>(
      [&] {
        decoded(claims({1 << 30, 1 << 30}, false));
      },
      {"1073741824 x 1073741824", "limit of 178956970"});
  expect_error<DataError>(
      [&] {
        decoded(claims({100, 100}, false), {.max_pixels = 9999});
      },
      {"limit of 9999"});
  expect_error<DataError>(
      [&] {
        decoded(claims({150'000'000, 1}, false));
      },
      {"2400000000 bytes", "limit of 536870912"});
  // Two rows of libpng's, and all pixels.
  expect_error<DataError>(
      [&] {
        decoded(claims({1000, 1000}, true), {.max_decoder_bytes = 3'015'999});
      },
      {"3016000 bytes", "limit of 3015999"});
  expect_error<DataError>([&] { decoded(claims({0, 5}, false)); }, {"PNG data"});
}

TEST_CASE("chunks without pixels are passed over, whatever they inflate to") {
  std::string bomb = FileBytes().text("a").zeros(2).str();  // a text, compressed
  bomb += std::string(100'000, '\x78');
  std::string many;
  for (int i = 0; i < 3000; ++i) many += png_chunk("tEXt", std::string("k\0v", 3));
  CHECK(decoded(plain_png(kSize, png_chunk("zTXt", bomb) + many)).size() == kSize);
}

TEST_CASE("fewer pixels than the header says are a DataError") {
  const PngImage small{.size = {13, 5}, .value = [](int, int, int) { return 7U; }};
  std::string file = png_file(small);
  PngImage larger = small;
  larger.size.height = 9;
  file.replace(kPngSignature.size(), png_header(larger).size(), png_header(larger));
  expect_error<DataError>([&] { decoded(file); }, {"PNG data"});
  expect_error<DataError>([&] { scan_png(bytes_of("\xff\xd8\xff")); }, {"signature"});
}

}  // namespace leat::test
