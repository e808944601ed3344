#include "datasets/schema.h"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "loader/base/errors.h"
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

  Fields many;
  for (int i = 0; i < 65; ++i) many.push_back({fmt::format("f{}", i), DType::u8, {}});
  expect_error<ArgumentError>(make(many), {"64", "65"});
  many.pop_back();
  CHECK(Schema(many).size() == 64);
}

}  // namespace leat::test
