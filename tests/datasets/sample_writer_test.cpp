#include "datasets/sample_writer.h"

#include <fmt/format.h>
#include <array>
#include <catch2/catch_test_macros.hpp>

#include "loader/base/errors.h"
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

}  // namespace leat::test
