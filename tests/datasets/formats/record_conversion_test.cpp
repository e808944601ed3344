#include "leat/datasets/formats/record_conversion.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/formats/tfrecord/tfrecord.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// A field with bytes of its own.
struct OwnField {
  std::string name;
  Encoding encoding;
  std::vector<std::byte> bytes;
};
using OwnFields = std::vector<OwnField>;

// Samples that are in memory. Those without fields cannot be read.
class ListedSource final : public SampleSource {
 public:
  explicit ListedSource(std::vector<OwnFields> samples) : samples_(std::move(samples)) {}

  std::size_t size() const override { return samples_.size(); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override {
    check_index(index);
    sample.clear();
    if (samples_[index].empty()) throw DataError(describe(index), "it is damaged");
    for (const OwnField& field : samples_[index]) {
      if (choice.wants(field.name)) sample.add(field.name, field.encoding).memory() = field.bytes;
    }
  }
  std::string describe(std::size_t index) const override { return "list, sample " + std::to_string(index); }
  std::vector<std::string> classes() const override { return {"cat", "dog"}; }

  std::vector<OwnFields> samples_;
};

OwnField raw(std::string name, std::string encoding, std::string_view bytes) {
  return {std::move(name), parse_encoding(encoding), bytes_of(bytes)};
}

OwnField jpeg(std::string name, std::string_view rest) {
  return raw(std::move(name), "jpeg", "\xff\xd8\xff" + std::string(rest));
}

OwnField int64(std::string name, std::int64_t value) {
  return raw(std::move(name), "int", FileBytes().little(value));
}

OwnField pixels(std::size_t width, std::size_t height, std::string_view mode, std::string_view bytes) {
  return {"image", Encoding::pixels_of(height, width, mode.size()), bytes_of(bytes)};
}

RecordConversion source_of(std::vector<OwnFields> samples) {
  return RecordConversion(std::make_shared<ListedSource>(std::move(samples)));
}

std::string value(const RecordConversion& source, std::size_t index, std::string_view field) {
  return std::string(text_of(source.read(index).fields.at(source.schema().find(field).value())));
}

const Field& field_of(const RecordConversion& source, std::string_view name) {
  return source.schema().fields()[source.schema().find(name).value()];
}

Content content_of(const RecordConversion& source, std::string_view name) {
  return source.schema().content(source.schema().find(name).value());
}

}  // namespace

TEST_CASE("conversion: a JPEG and a class as WebDataset names them are an image and a label") {
  const RecordConversion source = source_of(
      {{jpeg("jpg", "ab"), raw("cls", "str_int", "1\n")}, {raw("cls", "str_int", "-7"), jpeg("jpg", "")}});
  CHECK(content_of(source, "image") == Content::jpeg);
  CHECK(field_of(source, "image").max_length == 5);
  CHECK(source.schema().fields().has_scalar(source.schema().find("label").value(), DType::i64));
  CHECK(source.schema().classes() == std::vector<std::string>{"cat", "dog"});
  CHECK(value(source, 0, "image") ==
        "\xff\xd8\xff"
        "ab");
  CHECK(value(source, 0, "label") == FileBytes().u64(1).str());
  CHECK(value(source, 1, "label") == FileBytes().little(std::int64_t{-7}).str());
  CHECK(value(source, 1, "image") == "\xff\xd8\xff");
  CHECK(source.describe(1) == "list, sample 1");
}

TEST_CASE("conversion: numbers keep their dtypes and shapes, a label alone becomes i64") {
  const RecordConversion source =
      source_of({{raw("label", "uint16", FileBytes().u16(40'000)), raw("weight", "float32", "abcd"),
                  raw("box", "ndarray:uint8:2,3", "123456"),
                  raw("own", "ndarray:uint8",
                      "\x08\x03\x02"
                      "abcdef"),
                  raw("wide", "ndarray:uint8", std::string("\x05\x02\0ab", 5))}});
  CHECK(value(source, 0, "label") == FileBytes().u64(40'000).str());
  CHECK(field_of(source, "weight").dtype == DType::f32);
  CHECK(field_of(source, "weight").shape.empty());
  CHECK(value(source, 0, "weight") == "abcd");
  CHECK(field_of(source, "box").shape == Shape{2, 3});
  CHECK(value(source, 0, "box") == "123456");
  CHECK(field_of(source, "own").shape == Shape{3, 2});
  CHECK(value(source, 0, "own") == "abcdef");
  CHECK(field_of(source, "wide").shape == Shape{2});
}

TEST_CASE("conversion: arrays whose first extent differs are ragged, a scalar among them is a row of one") {
  const RecordConversion source =
      source_of({{raw("x", "ndarray:uint8:3", "abc"), raw("p", "ndarray:uint8:1,2", "xy")},
                 {raw("x", "uint8", "d"), raw("p", "ndarray:uint8:2,2", "xyzw")},
                 {raw("x", "ndarray:uint8:0", ""), raw("p", "ndarray:uint8:1,2", "uv")}});
  CHECK(field_of(source, "x").max_length == 3);
  CHECK(field_of(source, "x").shape.empty());
  CHECK(field_of(source, "p").max_length == 2);
  CHECK(field_of(source, "p").shape == Shape{2});
  CHECK(value(source, 0, "x") == "abc");
  CHECK(value(source, 1, "x") == "d");
  CHECK(value(source, 2, "x").empty());
  CHECK(value(source, 1, "p") == "xyzw");
}

TEST_CASE("conversion: text, bytes and files that are not all JPEGs or PNGs keep their bytes") {
  const RecordConversion source =
      source_of({{raw("txt", "str", "hi"), raw("a.bin", "bytes", "12"), raw("j", "json", "{}"),
                  jpeg("p", "1"), raw("id", "str_int", "007"), raw("s", "str_float", "1.50")},
                 {raw("txt", "str", ""), raw("a.bin", "bytes", "3"), raw("j", "json", "[1]"),
                  raw("p", "jpeg", "GIF89a"), raw("id", "str_int", "x"), raw("s", "str_float", "2")}});
  CHECK(content_of(source, "text") == Content::text);
  CHECK(content_of(source, "a") == Content::bytes);
  CHECK(content_of(source, "j") == Content::text);
  CHECK(content_of(source, "p") == Content::bytes);
  CHECK(content_of(source, "id") == Content::text);
  CHECK(value(source, 0, "id") == "007");
  CHECK(value(source, 0, "s") == "1.50");
  CHECK(value(source, 1, "text").empty());
  CHECK(value(source, 1, "p") == "GIF89a");
  CHECK(source.schema().classes().empty());  // there is no label that they could be of
}

TEST_CASE("conversion: an image is one field, called by its kind in each sample or not") {
  const std::string png = "\x89PNG\r\n\x1a\n";
  const RecordConversion source = source_of({{jpeg("jpg", "1"), raw("a.png", "png", png)},
                                             {raw("png", "png", png), raw("a.png", "png", png)},
                                             {raw("a.jpeg", "jpeg", png), jpeg("jpeg", "3")}});
  CHECK(content_of(source, "jpg") == Content::jpeg);
  CHECK(content_of(source, "a") == Content::jpeg);
  CHECK(value(source, 1, "jpg") == png);
  CHECK(value(source, 2, "a") == png);
}

TEST_CASE("conversion: pixels of one size have it in the schema, gray becomes RGB") {
  const RecordConversion source = source_of(
      {{pixels(2, 1, "L", "ab"), int64("label", 3)}, {pixels(2, 1, "RGB", "abcdef"), int64("label", 4)}});
  CHECK(content_of(source, "image") == Content::rgb);
  CHECK(field_of(source, "image").shape == Shape{1, 2, 3});
  CHECK(value(source, 0, "image") == "aaabbb");
  CHECK(value(source, 1, "image") == "abcdef");
}

TEST_CASE("conversion: pixels of different sizes carry height and width") {
  const RecordConversion source =
      source_of({{pixels(2, 1, "RGB", "abcdef")}, {pixels(1, 2, "RGB", "ghijkl")}});
  CHECK(field_of(source, "image").max_length == 2);
  CHECK(value(source, 0, "image_size") == FileBytes().u32(1).u32(2).str());
  CHECK(value(source, 1, "image_size") == FileBytes().u32(2).u32(1).str());
  CHECK(value(source, 1, "image") == "ghijkl");
}

TEST_CASE("conversion: beside JPEGs pixels become PNGs, which lose none, in whatever order they come") {
  const std::vector<OwnFields> samples{
      {pixels(2, 1, "RGB", "abcdef")}, {jpeg("image", "x")}, {pixels(1, 3, "L", "ghi")}};
  for (const auto& order : {std::vector<std::size_t>{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}) {
    std::vector<OwnFields> ordered;
    for (const std::size_t i : order) ordered.push_back(samples[i]);
    const RecordConversion source = source_of(std::move(ordered));
    REQUIRE(source.schema().size() == 1);
    CHECK(content_of(source, "image") == Content::jpeg);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string file = value(source, i, "image");
      CHECK(file.size() <= field_of(source, "image").max_length);
      if (order[i] == 1) {
        CHECK(file == "\xff\xd8\xffx");
        continue;
      }
      const std::vector<std::byte> png = bytes_of(file);
      ImageDecoder decoder;
      REQUIRE(decoder.read_header(png) == (order[i] == 0 ? Size{2, 1} : Size{1, 3}));
      const ImageView pixels = decoder.decode().pixels;
      std::string text;
      for (int y = 0; y < pixels.size.height; ++y) {
        text.append(reinterpret_cast<const char*>(pixels.row(y)), std::size_t(pixels.size.width) * 3);
      }
      CHECK(text == (order[i] == 0 ? "abcdef" : "ggghhhiii"));
    }
  }
}

TEST_CASE("conversion: an array of bytes that is called image, and has the shape of one, holds pixels") {
  const RecordConversion source = source_of(
      {{raw("image", "ndarray:uint8:1,2,3", "abcdef"), raw("other", "ndarray:uint8:1,2,3", "ghijkl")}});
  CHECK(content_of(source, "image") == Content::rgb);
  CHECK(content_of(source, "other") == Content::values);
  CHECK(value(source, 0, "image") == "abcdef");
}

TEST_CASE("conversion: TFRecord examples with their usual names, and lists of any length") {
  const TemporaryFolder folder;
  const std::string image = "\xff\xd8\xff";
  const auto record = [&](const std::string& rest, std::int64_t label, const std::vector<float>& box) {
    return tfrecord(example({bytes_feature("image/encoded", {image + rest}),
                             int_feature("image/class/label", {label}), float_feature("box", box)}));
  };
  const auto file = folder.write("a.tfrecord", record("a", 5, {1, 2}) + record("bc", -6, {3}));
  const TfRecordOptions options{.index = {.place = IndexPlace::nowhere}};
  const RecordConversion source(std::make_shared<TfRecordSource>(file.string(), options));
  REQUIRE(source.size() == 2);
  CHECK(value(source, 1, "image") == image + "bc");
  CHECK(value(source, 1, "label") == FileBytes().little(std::int64_t{-6}).str());
  CHECK(field_of(source, "box").max_length == 2);
  CHECK(value(source, 0, "box") == std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  CHECK(value(source, 1, "box") == std::string("\0\0\x40\x40", 4));
}

TEST_CASE("conversion: names that are taken stay what they are") {
  const RecordConversion source = source_of(
      {{jpeg("jpg", ""), raw("image", "str", "a"), raw("x.txt", "str", "b"), raw("x.bin", "bytes", "c")}});
  CHECK(content_of(source, "jpg") == Content::jpeg);
  CHECK(value(source, 0, "image") == "a");
  CHECK(value(source, 0, "x.txt") == "b");
  CHECK(value(source, 0, "x.bin") == "c");
}

TEST_CASE("conversion: a name that would be the group of another field is not taken") {
  const RecordConversion source = source_of({{jpeg("jpg", ""), raw("image.text", "str", "a")}});
  CHECK(content_of(source, "jpg") == Content::jpeg);
  CHECK(value(source, 0, "image.text") == "a");
}

TEST_CASE("conversion: samples with other fields or values are refused, with sample and field") {
  const OwnFields first{int64("x", 1)};
  const std::vector<std::pair<OwnFields, std::string>> cases{
      {{int64("y", 1)}, "the field 'y'"},
      {{int64("x", 1), int64("y", 1)}, "it has the fields x, y"},
      {{raw("x", "str", "a")}, "field 'x': it holds text, and numbers"},
      {{raw("x", "list[bytes]", "")}, "field 'x': it holds a list, and numbers"},
      {{raw("x", "int8", "a")}, "field 'x': it is of i8, and of i64"},
      {{raw("x", "ndarray:int64:1,1", FileBytes().u64(1))}, "field 'x': its shape is"}};
  for (const auto& [second, problem] : cases) {
    expect_error<DataError>(
        [&, &fields = second] {
          source_of({first, fields});
        },
        {"list, sample 1", problem});
  }
}

TEST_CASE("conversion: what records do not hold is refused, with sample and field") {
  const std::vector<OwnField> cases{raw("x", "pkl", ""),
                                    raw("x", "complex64", ""),
                                    raw("x", "ndarray", ""),
                                    raw("x", "ndarray:complex64:1", ""),
                                    raw("x", "ndarray:uint8:", ""),
                                    raw("x", "ndarray:uint8:2,", "ab"),
                                    raw("x", "ndarray:uint8:2", "abc"),
                                    raw("x", "ndarray:uint8", ""),
                                    raw("x", "ndarray:uint8",
                                        "\x01"
                                        "a"),
                                    raw("x", "int", "abc"),
                                    raw("x", "jpeg", "no image"),
                                    raw("x", "ndarray:float64:4294967296,4294967296", "")};
  for (const OwnField& field : cases) {
    INFO(to_string(field.encoding));
    expect_error<DataError>([&] { source_of({{field}}); }, {"list, sample 0", "'x'"});
  }
  expect_error<DataError>(
      [] {
        source_of({{raw("x", "ndarray:uint8",
                        "\x07"
                        "1")}});
      },
      {"sample 0", "x"});
  expect_error<ArgumentError>([] { source_of({}); }, {"no samples"});
  expect_error<ArgumentError>([] { source_of({{raw("x", "ndarray:uint8:2,0", "")}}); }, {"x"});
}

TEST_CASE("conversion: a sample that cannot be read is an error when it is read, not before") {
  const RecordConversion source = source_of({{}, {int64("x", 1)}, {raw("x", "int", "short")}});
  CHECK(source.size() == 3);
  CHECK(value(source, 1, "x") == FileBytes().u64(1).str());
  expect_error<DataError>([&] { source.read(0); }, {"it is damaged"});
  expect_error<DataError>([&] { source.read(2); }, {"'x'", "5 bytes, not 8"});
  expect_error<DataError>([] { source_of({{}, {}}); }, {"sample 0", "damaged"});
}

TEST_CASE("conversion: a sample that changed since all were looked at is refused") {
  const auto list = std::make_shared<ListedSource>(
      std::vector<OwnFields>{{raw("x", "bytes", "ab"), raw("p", "bytes", "c")}});
  const RecordConversion source(list);
  const auto refused = [&](OwnFields now, std::string_view problem) {
    list->samples_[0] = std::move(now);
    expect_error<DataError>([&] { source.read(0); }, {problem});
  };
  refused({raw("x", "bytes", "abc"), raw("p", "bytes", "c")}, "field 'x'");
  refused({raw("x", "int8", "a"), raw("p", "bytes", "c")}, "field 'x'");
  refused({raw("x", "bytes", "ab")}, "no field 'p'");
  refused({raw("x", "bytes", "ab"), raw("p", "bytes", "c"), raw("q", "bytes", "")}, "x, p, q");
}

TEST_CASE("conversion: text that is not UTF-8 is bytes, and lists are bytes as they are laid out") {
  const RecordConversion source = source_of({{raw("t", "str", "a"), raw("l", "jpeg_array", "xyz")},
                                             {raw("t", "str", "caf\xe9"), raw("l", "jpeg_array", "")}});
  CHECK(content_of(source, "t") == Content::bytes);
  CHECK(value(source, 1, "t") == "caf\xe9");
  CHECK(content_of(source, "l") == Content::bytes);
  CHECK(value(source, 0, "l") == "xyz");
}

TEST_CASE("conversion: an array may carry its dtype along") {
  const RecordConversion source = source_of({{raw("x", "ndarray",
                                                  "\x12\x04\x02"
                                                  "abcd")},
                                             {raw("x", "ndarray",
                                                  "\x12\x04\x02"
                                                  "efgh")}});
  CHECK(field_of(source, "x").dtype == DType::f16);
  CHECK(field_of(source, "x").shape == Shape{2});
  CHECK(value(source, 1, "x") == "efgh");
  expect_error<DataError>(
      [] {
        source_of({{raw("x", "ndarray",
                        "\x07\x04\x01"
                        "a")}});
      },
      {"number 7"});
}

TEST_CASE("conversion: of several fields of images the one that is named becomes the image") {
  const std::vector<OwnFields> samples{{jpeg("left.jpg", "1"), jpeg("right.jpg", "2"), int64("label", 3)}};
  const RecordConversion unclear = source_of(samples);
  CHECK_FALSE(unclear.schema().find("image"));
  const RecordConversion source(std::make_shared<ListedSource>(samples), {.image_field = "right.jpg"});
  CHECK(value(source, 0, "image") ==
        "\xff\xd8\xff"
        "2");
  CHECK(value(source, 0, "left") ==
        "\xff\xd8\xff"
        "1");
  expect_error<ArgumentError>(
      [&] { RecordConversion(std::make_shared<ListedSource>(samples), {.image_field = "top"}); },
      {"'top'", "left.jpg, right.jpg, label"});
}

TEST_CASE("progress is told up to the last sample, to a callback that is not kept") {
  const auto list = std::make_shared<ListedSource>(
      std::vector<OwnFields>{{raw("txt", "str", "a")}, {}, {raw("txt", "str", "c")}});
  auto told = std::make_shared<std::vector<std::size_t>>();
  const RecordConversion source(list,
                                {.on_progress = [told](std::size_t samples) { told->push_back(samples); }});
  CHECK(*told == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(told.use_count() == 1);
}

TEST_CASE("conversion: pixels where there were files alone, and could not be read at first, are refused") {
  auto source = std::make_shared<ListedSource>(std::vector<OwnFields>{{jpeg("image", "a")}, {}});
  const RecordConversion conversion(source);
  source->samples_[1] = {pixels(2, 2, "RGB", "123456789012")};
  expect_error<DataError>([&] { conversion.read(1); }, {"'image'", "not what it was"});
}

}  // namespace leat::test
