#include "leat/datasets/schema.h"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"

namespace leat::test {

TEST_CASE("a schema knows its fields, their bytes and their names") {
  const Schema schema({{"image", DType::u8, {4, 5, 3}}, {"label", DType::i64, {}}, {"box", DType::f32, {4}}});
  CHECK(schema.size() == 3);
  CHECK(schema.row_bytes(0) == 60);
  CHECK(schema.row_bytes(1) == 8);
  CHECK(schema.row_bytes(2) == 16);
  CHECK(schema.index_of("box") == 2);
  CHECK(schema[1].name == "label");
  expect_error<ArgumentError>([&] { schema.index_of("mask"); }, {"'mask'", "image, label, box"});
}

TEST_CASE("a schema refuses fields that break its rules, and names them") {
  using Fields = std::vector<Field>;
  const auto make = [](const Fields& fields) { return [fields] { Schema schema(fields); }; };
  expect_error<ArgumentError>(make({{"x", DType::u8, {}}, {"x", DType::f32, {}}}), {"'x'"});
  expect_error<ArgumentError>(make({{"x", DType::u8, {}}, {"", DType::u8, {}}}), {"field 1", "no name"});
  expect_error<ArgumentError>(make({{"empty", DType::u8, {3, 0}}}), {"'empty'", "[3, 0]"});
  expect_error<ArgumentError>(make({{"huge", DType::f64, {std::size_t{1} << 62}}}), {"64 bits"});

  expect_error<ArgumentError>(make({Field::ragged("tokens", DType::i32, {})}), {"'tokens'", "max_length 0"});
  expect_error<ArgumentError>(make({Field::ragged("x", DType::i32, {.max_length = 3, .element = {0}})}),
                              {"'x'", "[0]"});
  const auto half = std::size_t{1} << 62;
  expect_error<ArgumentError>(make({Field::ragged("x", DType::i32, {.max_length = half})}), {"64 bits"});

  Fields many;
  for (int i = 0; i < 65; ++i) many.push_back({fmt::format("f{}", i), DType::u8, {}});
  expect_error<ArgumentError>(make(many), {"64", "65"});
  many.pop_back();
  CHECK(Schema(many).size() == 64);
}

TEST_CASE("a schema tells ragged fields from those of fixed shape") {
  const Schema schema({{"label", DType::i64, {}},
                       Field::ragged("tokens", DType::i32, {.max_length = 4096}),
                       {"box", DType::f32, {4}},
                       Field::ragged("boxes", DType::f32, {.max_length = 10, .element = {2, 2}}),
                       Field::text("caption", 1024)});
  CHECK(schema.fixed_fields() == 0b00101);
  CHECK(schema.ragged_fields() == 0b11010);
  CHECK(schema.ragged_before(1) == 0);
  CHECK(schema.ragged_before(2) == 1);
  CHECK(schema.ragged_before(4) == 2);
  CHECK(schema.row_bytes(1) == 4096 * 4);
  CHECK(schema.row_bytes(3) == 10 * 4 * 4);
  CHECK(schema[3].element_bytes() == 16);
  CHECK(schema[4].dtype == DType::u8);
  CHECK(schema[4].max_length == 1024);
}

TEST_CASE("dots nest the names of fields") {
  const Schema schema({{"image.pixels", DType::u8, {4}},
                       {"label", DType::i64, {}},
                       {"image.box.left", DType::f32, {}},
                       {"imagery", DType::u8, {}}});
  const auto members = schema.group("image");
  REQUIRE(members.size() == 2);
  CHECK(members[0].name == "pixels");
  CHECK(members[0].field == 0);
  CHECK(members[1].name == "box.left");
  CHECK(members[1].field == 2);
  CHECK(schema.group("image.box").at(0).name == "left");
  CHECK(schema.index_of("image.box.left") == 2);
  expect_error<ArgumentError>([&] { schema.group("imager"); }, {"'imager'", "image.pixels, label"});
  expect_error<ArgumentError>([&] { schema.group("label"); }, {"'label'"});
}

TEST_CASE("a schema refuses names that do not nest") {
  const auto make = [](const std::string& one, const std::string& other) {
    return [one, other] { Schema schema({{one, DType::u8, {}}, {other, DType::u8, {}}}); };
  };
  expect_error<ArgumentError>(make("a", "b..c"), {"field 1", "'b..c'", "empty part"});
  expect_error<ArgumentError>(make(".a", "b"), {"field 0", "'.a'", "empty part"});
  expect_error<ArgumentError>(make("a.", "b"), {"field 0", "'a.'", "empty part"});
  expect_error<ArgumentError>(make("image", "image.pixels"), {"'image' cannot", "'image.pixels'"});
  expect_error<ArgumentError>(make("image.pixels", "image"), {"'image' cannot", "'image.pixels'"});
}

}  // namespace leat::test
