#include "leat/datasets/sample_writer.h"

#include <fmt/format.h>
#include <array>
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"

namespace leat::test {

namespace {

// Two rows of a schema of a vector and a scalar.
struct Rows {
  Schema schema{{{"x", DType::f32, {2}}, {"label", DType::i64, {}}}};
  std::array<float, 4> x{};
  std::array<std::int64_t, 2> label{};
  std::array<std::byte*, 2> columns{reinterpret_cast<std::byte*>(x.data()),
                                    reinterpret_cast<std::byte*>(label.data())};
};

}  // namespace

TEST_CASE("a sample writer writes its row, and no other") {
  Rows rows;
  SampleWriter writer(rows.schema, rows.columns, 1);
  writer.values<float>("x")[0] = 5;
  writer.values<float>(0)[1] = 6;
  writer.set<std::int64_t>("label", 7);
  writer.check_complete();
  CHECK(rows.x == std::array<float, 4>{0, 0, 5, 6});
  CHECK(rows.label == std::array<std::int64_t, 2>{0, 7});
}

TEST_CASE("a sample writer refuses the wrong type, shape or name") {
  Rows rows;
  SampleWriter writer(rows.schema, rows.columns, 0);
  expect_error<ArgumentError>([&] { writer.values<double>("x"); }, {"'x'", "f32", "f64"});
  expect_error<ArgumentError>([&] { writer.set("label", 1.0f); }, {"'label'", "i64", "f32"});
  expect_error<ArgumentError>([&] { writer.set("x", 1.0f); }, {"'x'", "[2]"});
  expect_error<ArgumentError>([&] { writer.values<float>("y"); }, {"'y'"});
}

TEST_CASE("a field that was never asked for is reported by name") {
  Rows rows;
  SampleWriter writer(rows.schema, rows.columns, 0);
  writer.values<float>("x");
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"'label'"});
}

TEST_CASE("a schema of 64 fields is complete when all 64 were written") {
  std::vector<Field> fields;
  fields.reserve(64);
  for (int i = 0; i < 64; ++i) fields.push_back({fmt::format("f{}", i), DType::u8, {}});
  const Schema schema(fields);
  std::array<std::byte, 64> memory{};
  std::array<std::byte*, 64> columns{};
  for (std::size_t i = 0; i < 64; ++i) columns[i] = &memory[i];
  SampleWriter writer(schema, columns, 0);
  for (std::size_t i = 0; i < 63; ++i) writer.set<std::uint8_t>(i, 1);
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"'f63'"});
  writer.set<std::uint8_t>(63, 1);
  writer.check_complete();
}

TEST_CASE("a part of a sample is written under names of its own") {
  const Schema whole(
      {{"a", DType::u8, {}}, {"left.x", DType::u16, {2}}, Field::text("left.y", 4), Field::text("b", 4)});
  const Schema left({{"x", DType::u16, {2}}, Field::text("y", 4)});
  std::array<std::uint8_t, 2> a{};
  std::array<std::uint16_t, 4> x{};
  std::array<char, 8> y{}, b{};
  std::array<std::int64_t, 3> y_ends{}, b_ends{};
  const auto at = [](auto& array) { return reinterpret_cast<std::byte*>(array.data()); };
  const std::array<std::byte*, 6> columns{at(a), at(x), at(y), at(b), at(y_ends), at(b_ends)};
  SampleWriter writer(whole, columns, 1);
  SampleWriter part = writer.part(1, left);
  part.values<std::uint16_t>("x")[1] = 7;
  part.set_text("y", "yes");
  CHECK(x == std::array<std::uint16_t, 4>{0, 0, 0, 7});
  CHECK(std::string_view(y.data() + 4, 3) == "yes");
  CHECK(y_ends == std::array<std::int64_t, 3>{0, 0, 7});
  part.check_complete();
  writer.set<std::uint8_t>("a", 1);
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"'left.x'"});
  writer.join(1, part);
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"'b'"});
  const Schema text({Field::text("text", 4)});
  SampleWriter last = writer.part(3, text);
  last.set_text(0, "b");
  writer.join(3, last);
  CHECK(b_ends == std::array<std::int64_t, 3>{0, 0, 5});
  writer.check_complete();
}

TEST_CASE("what was written can be read back, and what was not cannot") {
  const Schema schema({{"x", DType::u8, {2}}, Field::text("text", 5)});
  std::array<std::uint8_t, 4> x{};
  std::array<char, 10> text{};
  std::array<std::int64_t, 3> ends{};
  const auto at = [](auto& array) { return reinterpret_cast<std::byte*>(array.data()); };
  const std::array<std::byte*, 3> columns{at(x), at(text), at(ends)};
  SampleWriter writer(schema, columns, 1);
  expect_error<ArgumentError>([&] { writer.written(0); }, {"did not write", "'x'"});
  expect_error<ArgumentError>([&] { writer.written(1); }, {"did not write", "'text'"});
  expect_error<ArgumentError>([&] { writer.bytes(1); }, {"'text' is ragged"});
  expect_error<ArgumentError>([&] { writer.written(1); }, {"did not write", "'text'"});
  writer.values<std::uint8_t>(0)[1] = 9;
  CHECK(writer.written(0).data() == at(x) + 2);
  CHECK(writer.written(0)[1] == std::byte{9});
  writer.ragged_bytes(1, 3)[2] = std::byte{'c'};
  CHECK(writer.written(1).size() == 3);
  CHECK(writer.written(1).data() == at(text) + 5);
  CHECK(writer.written(1)[2] == std::byte{'c'});
  writer.set_text(1, "");
  CHECK(writer.written(1).empty());
  expect_error<ArgumentError>([&] { writer.ragged_bytes(0, 1); }, {"'x'", "not ragged"});
}

TEST_CASE("a field that the schema does not have is refused, however it is asked for") {
  const Schema schema({{"x", DType::u8, {2}}, {"label", DType::i64, {}}});
  std::array<std::uint8_t, 2> x{};
  std::array<std::int64_t, 1> label{};
  const std::array<std::byte*, 2> columns{reinterpret_cast<std::byte*>(x.data()),
                                          reinterpret_cast<std::byte*>(label.data())};
  for (const std::size_t field : {2UL, 7UL, 63UL, 64UL, 70UL, 128UL, ~0UL}) {
    INFO("field " << field);
    SampleWriter writer(schema, columns, 0);
    const auto refused = [&](auto&& use) {
      expect_error<ArgumentError>(use, {"there is no field " + std::to_string(field), "the schema has 2"});
    };
    refused([&] { writer.bytes(field); });
    refused([&] { writer.values<std::uint8_t>(field); });
    refused([&] { writer.set(field, std::int64_t{1}); });
    refused([&] { writer.ragged<std::uint8_t>(field, 1); });
    refused([&] { writer.ragged_bytes(field, 1); });
    refused([&] { writer.set_text(field, "a"); });
    refused([&] { writer.set_tensor(field, DType::u8, {2}, x.data()); });
    refused([&] { writer.written(field); });
    expect_error<ArgumentError>([&] { writer.check_complete(); }, {"did not write field 'x'"});
  }
}

}  // namespace leat::test
