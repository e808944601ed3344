// What leat-convert consists of.
#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/expect_error.h"
#include "tools/common/command_line.h"
#include "tools/convert/chart.h"
#include "tools/convert/options.h"
#include "tools/convert/progress.h"
#include "tools/convert/recoder.h"

using namespace leat;
using namespace leat::detail;
using namespace leat::tools;
using test::expect_error;
using Kind = ResizeRule::Kind;

namespace {

RecordSchema jpeg_schema() {
  return RecordSchema(
      {{{"label", DType::i64, {}}, Content::values}, {Field::text("image", 1 << 20), Content::jpeg}});
}

Record jpeg_sample(Size size, int level) {
  return {{std::vector<std::byte>(8),
           encode_jpeg(test::image_of(size, [&](int, int, int) { return level; }).view())}};
}

}  // namespace

TEST_CASE("sizes are read with their units, and nothing else is") {
  CHECK(parse_bytes("256MiB") == 268'435'456);
  CHECK(parse_bytes("64MB") == 64'000'000);
  CHECK(parse_bytes("1GiB") == 1'073'741'824);
  CHECK(parse_bytes("12") == 12);
  CHECK(parse_bytes("12B") == 12);
  for (const char* text : {"", "0", "MiB", "-1", "1.5GiB", "12 MB", "99999999999GiB", "12mib"}) {
    INFO(text);
    CHECK_FALSE(parse_bytes(text));
  }
}

TEST_CASE("images are scaled down by their shorter or longer side, never up") {
  CHECK(resized({500, 375}, {Kind::short_side, 256}) == Size{341, 256});
  CHECK(resized({375, 500}, {Kind::short_side, 256}) == Size{256, 341});
  CHECK(resized({200, 500}, {Kind::short_side, 256}) == Size{200, 500});
  CHECK(resized({500, 375}, {Kind::longest_side, 250}) == Size{250, 187});
  CHECK(resized({1000, 1}, {Kind::longest_side, 100}) == Size{100, 1});
  CHECK(resized({90, 100}, {Kind::longest_side, 100}) == Size{90, 100});
  CHECK(resized({90, 100}, {Kind::square, 256}) == Size{256, 256});
  CHECK(resized({90, 100}, {}) == Size{90, 100});
}

TEST_CASE("a resize rule that is none is refused") {
  CHECK(parse_resize("short:256").size == 256);
  CHECK(parse_resize("max:512").kind == Kind::longest_side);
  for (const char* text : {"short:0", "short:", "long:5", "256", "max:65501"}) {
    expect_error<UsageError>([&] { parse_resize(text); }, {text});
  }
}

TEST_CASE("images that need not change keep their bytes, others get the size that was asked for") {
  ConvertOptions options;
  options.resize = {Kind::short_side, 24};
  const Recoder recoder(jpeg_schema(), options);
  const Record small = jpeg_sample({32, 24}, 90);
  CHECK(recoder.apply(small).fields == small.fields);
  const Record changed = recoder.apply(jpeg_sample({64, 48}, 90));
  JpegDecoder decoder;
  CHECK(decoder.read_header(changed.fields[1]) == Size{32, 24});
}

TEST_CASE("raw pixels carry their height and width, or have one size that the schema states") {
  ConvertOptions options;
  options.raw = true;
  const Recoder ragged(jpeg_schema(), options);
  REQUIRE(ragged.schema().size() == 3);
  CHECK(ragged.schema().fields()[1].name == "image_size");
  const Record sample = ragged.apply(jpeg_sample({6, 4}, 90));
  std::uint32_t extents[2];
  REQUIRE(sample.fields[1].size() == sizeof extents);
  std::memcpy(extents, sample.fields[1].data(), sizeof extents);
  CHECK(extents[0] == 4);
  CHECK(extents[1] == 6);
  CHECK(sample.fields[2] == std::vector<std::byte>(4 * 6 * 3, std::byte{90}));

  options.resize = {Kind::square, 8};
  const Recoder fixed(jpeg_schema(), options);
  CHECK(fixed.schema().fields()[1].shape == Shape{8, 8, 3});
  CHECK(fixed.apply(jpeg_sample({20, 16}, 90)).fields[1] == std::vector<std::byte>(8 * 8 * 3, std::byte{90}));
}

TEST_CASE("an image that was cut off is bad, though its bytes would only be copied") {
  const Recoder recoder(jpeg_schema(), {});
  Record sample = jpeg_sample({32, 24}, 90);
  sample.fields[1].resize(sample.fields[1].size() / 2);
  expect_error<DataError>([&] { recoder.apply(sample); });
}

TEST_CASE("recoding needs images") {
  ConvertOptions options;
  options.quality = 80;
  const RecordSchema numbers({{{"x", DType::f32, {3}}, Content::values}});
  expect_error<UsageError>([&] { Recoder(numbers, options); }, {"SRC holds none"});
  CHECK(Recoder(numbers, {}).schema().size() == 1);
}

TEST_CASE("progress tells the share, the rate and the time left") {
  CHECK(progress_line(0, 10, 0, 0) == "0 %  0 of 10 samples");
  CHECK(progress_line(1, 4, 5'000'000, 2) == "25 %  1 of 4 samples  2.5 MB/s  6 s left");
  CHECK(progress_line(4, 4, 8'000'000, 2) == "100 %  4 of 4 samples  4.0 MB/s");
  CHECK(progress_line(1, 1001, 1'000'000, 10) == "0 %  1 of 1001 samples  0.1 MB/s  2 h 46 min left");
}

TEST_CASE("labels are counted by class, the largest ones where there are many") {
  CHECK(bar(0, 10, 40).empty());
  CHECK(bar(1, 1000, 40) == "#");
  CHECK(bar(5, 10, 8) == "####");
  const std::vector<std::string> classes{"cat", "dog"};
  CHECK(label_histogram({{0, 4}, {1, 1}}, classes) ==
        "samples of each label:\n  0 cat  " + std::string(40, '#') + " 4\n  1 dog  " + std::string(10, '#') +
            std::string(30, ' ') + " 1\n");
  CHECK(label_histogram({{-3, 1}}, classes).find("  -3  #") != std::string::npos);
  std::map<std::int64_t, std::size_t> many;
  for (int label = 0; label < 30; ++label) many[label] = label < 10 ? 1 : 2;
  const std::string text = label_histogram(many, {});
  CHECK(text.find("  9 ") == std::string::npos);
  CHECK(text.find("  10  ") < text.find("  29  "));
  CHECK(text.find("and 10 labels with fewer\n") != std::string::npos);
}

TEST_CASE("a histogram counts by powers of two") {
  const std::uint64_t sizes[] = {1024, 1500, 2047, 2048};
  const std::string text = size_histogram(sizes);
  CHECK(text.find("1 KiB  " + std::string(40, '#') + " 3\n") != std::string::npos);
  CHECK(text.find("2 KiB  " + std::string(14, '#') + std::string(26, ' ') + " 1\n") != std::string::npos);
}
