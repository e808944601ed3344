// Damage that leaves the pixels complete, and damage that does not.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/image_hash.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

struct Decoded {
  Image image;
  DecodeWarnings warnings;
};

Decoded decode(const Bytes& jpeg, const JpegLimits& limits = {}, bool read_orientation = false) {
  JpegDecoder decoder;
  const Size size = decoder.read_header(jpeg, limits, read_orientation);
  const ImageTile tile = decoder.decode({.rows = {0, size.height}, .columns = {0, size.width}});
  return {image_of(size, [&](int x, int y, int c) { return tile.pixels.pixel(x, y)[c]; }),
          decoder.warnings()};
}

DecodeWarnings only(DecodeWarning warning) {
  DecodeWarnings warnings;
  warnings.add(warning);
  return warnings;
}

Bytes with_rubbish(Bytes jpeg, std::size_t at) {
  jpeg.insert(jpeg.begin() + std::ptrdiff_t(at), 7, std::byte{0x11});
  return jpeg;
}

Bytes with_byte(Bytes jpeg, std::size_t at, int value) {
  REQUIRE(at < jpeg.size());
  jpeg[at] = std::byte(value);
  return jpeg;
}

Bytes sound() {
  return encode_jpeg(image_of({64, 48}, formula).view());
}

// Decodes to the pixels of the sound file, with one warning.
void check_harmless(const Bytes& jpeg, const Bytes& damaged, DecodeWarning warning) {
  REQUIRE(jpeg != damaged);
  const Decoded wanted = decode(jpeg), got = decode(damaged);
  CHECK_FALSE(wanted.warnings.any());
  CHECK(got.warnings == only(warning));
  CHECK(equal(got.image, wanted.image));
}

}  // namespace

TEST_CASE("extraneous bytes before a marker are passed over, and counted") {
  const Bytes jpeg = sound();
  for (const int marker : {0xdb, 0xc0, 0xc4, 0xda}) {
    INFO("before the marker " << marker);
    check_harmless(jpeg, with_rubbish(jpeg, find_marker(jpeg, marker)), DecodeWarning::extraneous_bytes);
  }
  check_harmless(jpeg, with_rubbish(jpeg, find_marker(jpeg, 0xd9)), DecodeWarning::surplus_data);
  const Bytes restarting = restarting_jpeg(image_of({64, 48}, formula), 4);
  check_harmless(restarting, with_rubbish(restarting, find_marker(restarting, 0xd1)),
                 DecodeWarning::surplus_data);
}

TEST_CASE("scan parameters that have no meaning in a sequential file are ignored, and counted") {
  const Bytes jpeg = sound();
  const std::size_t scan = find_marker(jpeg, 0xda), parameters = scan + 2 + 2 + 1 + 2 * 3;
  for (const std::size_t i : {0U, 1U, 2U})
    check_harmless(jpeg, with_byte(jpeg, parameters + i, 5), DecodeWarning::scan_parameters);
}

TEST_CASE("an unknown revision of JFIF and an unknown transform of Adobe are passed over, and counted") {
  const Bytes jpeg = sound();
  check_harmless(jpeg, with_byte(jpeg, find_marker(jpeg, 0xe0) + 9, 3), DecodeWarning::jfif_revision);
  const Bytes ycck = cmyk_jpeg(image_of({64, 48}, formula), true);
  check_harmless(ycck, with_byte(ycck, find_marker(ycck, 0xee) + 15, 9), DecodeWarning::color_transform);
}

TEST_CASE("damaged EXIF data is upright, and counted where the orientation is asked for") {
  const Bytes turned = with_exif(sound(), 6, true);
  const std::size_t tiff = find_marker(turned, 0xe1) + 10;
  CHECK_FALSE(decode(turned, {}, true).warnings.any());
  for (const Bytes& damaged :
       {with_byte(turned, tiff + 2, 43), with_byte(turned, tiff + 5, 99), with_exif(sound(), 9, false)}) {
    JpegDecoder decoder;
    decoder.read_header(damaged, {}, true);
    CHECK(decoder.orientation().is_upright());
    CHECK(decoder.warnings() == only(DecodeWarning::exif));
    CHECK_FALSE(decode(damaged).warnings.any());
    CHECK(equal(decode(damaged).image, decode(turned).image));
  }
}

TEST_CASE("an image is not blamed for the damage of the one before it") {
  const Bytes jpeg = sound();
  JpegDecoder decoder;
  decoder.read_header(with_byte(jpeg, find_marker(jpeg, 0xe0) + 9, 3));
  CHECK(decoder.warnings().any());
  decoder.read_header(jpeg);
  CHECK_FALSE(decoder.warnings().any());
}

TEST_CASE("missing data is an error, unless corrupt files are allowed, and counted then") {
  const Bytes jpeg = sound(), arithmetic = arithmetic_jpeg(image_of({64, 48}, formula), false);
  const std::size_t scan = find_marker(jpeg, 0xda), middle = (scan + jpeg.size()) / 2;
  const Bytes short_file(jpeg.begin(), jpeg.begin() + std::ptrdiff_t(middle));
  Bytes short_scan = short_file, broken_scan = jpeg, no_end(jpeg.begin(), jpeg.end() - 2);
  short_scan.insert(short_scan.end(), jpeg.end() - 2, jpeg.end());
  for (std::size_t i = 0; i < 40; ++i)
    broken_scan[middle + 2 * i] = std::byte{0xff}, broken_scan[middle + 2 * i + 1] = std::byte{0};
  Bytes short_arithmetic(arithmetic.begin(), arithmetic.begin() + std::ptrdiff_t(arithmetic.size() / 2));
  short_arithmetic.insert(short_arithmetic.end(), jpeg.end() - 2, jpeg.end());
  for (const Bytes& damaged : {short_file, short_scan, broken_scan, no_end}) {
    expect_error<DataError>([&] { decode(damaged); }, {"JPEG data"});
    CHECK(decode(damaged, {.allow_corrupt = true}).warnings.has(DecodeWarning::missing_data));
  }
  CHECK_FALSE(decode(jpeg, {.allow_corrupt = true}).warnings.any());
}

}  // namespace leat::test
