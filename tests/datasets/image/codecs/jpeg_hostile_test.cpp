// Files that are damaged, or made to cost more than they look.
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

Size decode(std::span<const std::byte> jpeg, const JpegLimits& limits = {}) {
  JpegDecoder decoder;
  const Size size = decoder.read_header(jpeg, limits);
  decoder.decode({.rows = {0, size.height}, .columns = {0, size.width}});
  return size;
}

Bytes sound_jpeg() {
  return encode_jpeg(image_of({64, 48}, formula).view());
}

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(std::byte(value));
  return bytes;
}

}  // namespace

TEST_CASE("what is no JPEG is refused by its first bytes") {
  expect_error<DataError>([] { decode({}); }, {"empty"});
  expect_error<DataError>([] { decode(bytes_of({0xff})); }, {"no JPEG", "1 bytes", " ff"});
  expect_error<DataError>(
      [] {
        decode(bytes_of({0x89, 'P', 'N', 'G', 13, 10}));
      },
      {"no JPEG", "89 50 4e 47"});
  expect_error<DataError>([] { decode(bytes_of({0xff, 0xd8, 0xff})); });
  expect_error<DataError>([] { decode(bytes_of({0xff, 0xd8, 0xff, 0xd9})); });
}

TEST_CASE("a file that was cut off is refused wherever it was cut") {
  const Bytes jpeg = sound_jpeg();
  for (std::size_t size = 0; size < jpeg.size(); size += 1 + size / 50) {
    INFO("cut to " << size << " of " << jpeg.size() << " bytes");
    CHECK_THROWS_AS(decode(std::span(jpeg).first(size)), DataError);
  }
}

TEST_CASE("a file that was cut off is refused even where the missing rows are not needed") {
  const Bytes jpeg = sound_jpeg();
  const auto most = std::span(jpeg).first(jpeg.size() - 10);
  JpegDecoder decoder;
  expect_error<DataError>([&] { decoder.read_header(most); }, {"cut off"});
}

TEST_CASE("missing data is gray where damage is allowed") {
  const Bytes jpeg = sound_jpeg();
  CHECK(decode(std::span(jpeg).first(jpeg.size() * 2 / 3), {.allow_corrupt = true}) == Size{64, 48});
}

TEST_CASE("bytes behind the end of the image are no damage") {
  Bytes jpeg = sound_jpeg();
  jpeg.insert(jpeg.end(), 100, std::byte{0});
  CHECK(decode(jpeg) == Size{64, 48});
}

TEST_CASE("missing restart markers are corruption unless it is allowed") {
  Bytes jpeg = sound_jpeg();
  const std::size_t scan = find_marker(jpeg, 0xda);
  // A restart marker where none belongs.
  const std::size_t middle = (scan + jpeg.size()) / 2;
  jpeg[middle] = std::byte{0xff};
  jpeg[middle + 1] = std::byte{0xd3};
  expect_error<DataError>([&] { decode(jpeg); }, {"JPEG data: "});
  CHECK(decode(jpeg, {.allow_corrupt = true}) == Size{64, 48});
}

TEST_CASE("damage anywhere is an error or an image, never a crash") {
  const Bytes jpeg = sound_jpeg();
  int noticed = 0;
  JpegDecoder decoder;
  for (std::size_t i = 2; i < jpeg.size(); i += 3) {
    Bytes damaged = jpeg;
    damaged[i] ^= std::byte{0x55};
    try {
      const Size size = decoder.read_header(damaged, {.max_pixels = 1 << 20});
      decoder.decode({.rows = {0, size.height}, .columns = {0, size.width}});
      noticed += decoder.warnings().any();
    } catch (const DataError&) {
      ++noticed;
    }
  }
  CHECK(noticed > 100);
}

TEST_CASE("a header that claims a huge image is refused before memory is taken") {
  const Bytes bomb = with_size(sound_jpeg(), 65500, 65500);
  expect_error<DataError>([&] { decode(bomb); }, {"65500 x 65500", "178956970"});
  const Bytes jpeg = sound_jpeg();
  CHECK(decode(jpeg, {.max_pixels = 3072}) == Size{64, 48});
  expect_error<DataError>([&] { decode(jpeg, {.max_pixels = 3071}); }, {"64 x 48", "3071"});
}

TEST_CASE("a progressive file whose coefficients exceed the memory limit is refused") {
  const Bytes bomb = with_size(progressive_jpeg(image_of({64, 48}, formula)), 8000, 8000);
  expect_error<DataError>([&] { decode(bomb, {.max_decoder_bytes = 64 << 20}); }, {"memory", "67108864"});
}

TEST_CASE("a file of very many scans is refused at the limit") {
  const Image source = image_of({64, 48}, formula);
  expect_error<DataError>([&] { decode(many_scan_jpeg(source, 1000)); }, {"scans", "100"});
  CHECK(decode(many_scan_jpeg(source, 90)) == Size{64, 48});
  expect_error<DataError>([&] { decode(many_scan_jpeg(source, 0), {.max_scans = 2}); }, {"scans", "2"});
  CHECK(decode(many_scan_jpeg(source, 0), {.max_scans = 3}) == Size{64, 48});  // it has three
  expect_error<DataError>([&] { decode(progressive_jpeg(source), {.max_scans = 3}); }, {"scans", "3"});
}

TEST_CASE("a file of just as many scans as the limit is decoded") {
  const Image source = image_of({64, 48}, formula);
  const Bytes jpeg = progressive_jpeg(source);
  int scans = 0;
  for (std::size_t i = 1; i < jpeg.size(); ++i) {
    if (jpeg[i - 1] == std::byte{0xff} && jpeg[i] == std::byte{0xda}) ++scans;
  }
  CHECK(decode(jpeg, {.max_scans = scans}) == Size{64, 48});
  expect_error<DataError>([&] { decode(jpeg, {.max_scans = scans - 1}); }, {"scans"});
}

TEST_CASE("JPEGs of kinds that are not decoded are refused by name") {
  const Bytes jpeg = sound_jpeg();
  const std::size_t frame = find_marker(jpeg, 0xc0);
  Bytes deep = jpeg;
  deep[frame + 4] = std::byte{12};
  expect_error<DataError>([&] { decode(deep); }, {"precision 12"});
  Bytes lossless = jpeg;
  lossless[frame + 1] = std::byte{0xc3};
  expect_error<DataError>([&] { decode(lossless); }, {"SOF type 0xc3"});
  Bytes hierarchical = jpeg;
  hierarchical[frame + 1] = std::byte{0xc5};
  expect_error<DataError>([&] { decode(hierarchical); }, {"SOF type 0xc5"});
  expect_error<DataError>([&] { decode(two_component_jpeg({20, 10})); }, {"color conversion"});
}

TEST_CASE("damage in rows above and columns beside the region is corruption, too") {
  Bytes jpeg = encode_jpeg(image_of({256, 256}, formula).view());
  const std::size_t scan = find_marker(jpeg, 0xda);
  jpeg[scan + 100] = std::byte{0xff};  // a restart marker where none belongs
  jpeg[scan + 101] = std::byte{0xd3};
  JpegDecoder decoder;
  decoder.read_header(jpeg);
  expect_error<DataError>([&] { decoder.decode({{200, 201}, {200, 201}, 1}); }, {"JPEG data: "});
  decoder.read_header(jpeg, {.allow_corrupt = true});
  CHECK(decoder.decode({{200, 201}, {200, 201}, 1}).pixels.size == Size{1, 1});
}

TEST_CASE("damage anywhere is an error or an image in parts as well, never a crash") {
  const Image source = image_of({64, 48}, formula);
  const JpegRegion region{{17, 30}, {21, 40}, 1};
  for (const Bytes& jpeg : {sound_jpeg(), progressive_jpeg(source), arithmetic_jpeg(source, false)}) {
    JpegDecoder decoder;
    int refused = 0;
    for (const bool allow : {false, true}) {
      for (std::size_t i = 2; i < jpeg.size(); i += 3) {
        Bytes damaged = jpeg;
        damaged[i] ^= std::byte{0x55};
        try {
          decoder.read_header(damaged, {.max_pixels = 3072, .allow_corrupt = allow}, true);
          decoder.decode(region);
        } catch (const Error&) {  // an ArgumentError where the image has become smaller
          ++refused;
        }
      }
    }
    CHECK(refused > 20);
  }
}

}  // namespace leat::test
