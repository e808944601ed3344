#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string_view>
#include <vector>

#include "leat/datasets/base/row_memory.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/sample_writer.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// Four rows of tokens of up to 3, of boxes of up to 2, and of a label.
struct Rows {
  Schema schema{{Field::ragged("tokens", DType::i32, {.max_length = 3}),
                 {"label", DType::i64, {}},
                 Field::ragged("boxes", DType::f32, {.max_length = 2, .element = {2}})}};
  std::array<std::int32_t, 12> tokens{};
  std::array<std::int64_t, 4> label{};
  std::array<float, 16> boxes{};
  std::array<std::int64_t, 5> token_offsets{}, box_offsets{};
  std::array<std::byte*, 5> columns{
      reinterpret_cast<std::byte*>(tokens.data()), reinterpret_cast<std::byte*>(label.data()),
      reinterpret_cast<std::byte*>(boxes.data()), reinterpret_cast<std::byte*>(token_offsets.data()),
      reinterpret_cast<std::byte*>(box_offsets.data())};

  SampleWriter writer(std::size_t row, std::size_t first_row) { return {schema, columns, row, first_row}; }
};

void fill(std::span<std::int32_t> tokens, std::int32_t value) {
  std::ranges::fill(tokens, value);
}

// Notes what it is asked for, and gives so many bytes.
struct ScriptedMemory final : RowMemory {
  bool take(std::span<const std::byte> bytes) override {
    asked.push_back(bytes);
    if (bytes.size() > left) return false;
    left -= bytes.size();
    return true;
  }
  std::size_t left = 0;
  std::vector<std::span<const std::byte>> asked;
};

TEST_CASE("the memory of ragged rows is asked for before they are written") {
  const Schema schema({Field::ragged("x", DType::u16, {.max_length = 4})});
  std::vector<std::uint16_t> values(8);
  std::vector<std::int64_t> offsets(3);
  const std::vector<std::byte*> columns{reinterpret_cast<std::byte*>(values.data()),
                                        reinterpret_cast<std::byte*>(offsets.data())};
  ScriptedMemory memory;
  memory.left = 10;
  SampleWriter first(schema, columns, 0, 0, &memory);
  first.ragged<std::uint16_t>(0, 3);
  CHECK(memory.asked.back().data() == columns[0]);
  CHECK(memory.asked.back().size() == 6);
  SampleWriter second(schema, columns, 1, 0, &memory);
  offsets[2] = 77;
  expect_error<MemoryError>([&] { second.ragged<std::uint16_t>(0, 4); }, {"'x'", "max_length 4", "8"});
  CHECK(memory.asked.back().data() == columns[0] + 6);
  CHECK(offsets[2] == 77);
  second.ragged<std::uint16_t>(0, 2);
  CHECK(offsets[2] == 5);
}

}  // namespace

TEST_CASE("ragged rows of a run are packed from where the run begins") {
  Rows rows;
  fill(rows.writer(0, 0).ragged<std::int32_t>("tokens", 3), 1);
  fill(rows.writer(1, 1).ragged<std::int32_t>("tokens", 1), 2);
  fill(rows.writer(2, 1).ragged<std::int32_t>(0, 0), 3);
  fill(rows.writer(3, 1).ragged<std::int32_t>(0, 2), 4);
  CHECK(rows.tokens == std::array<std::int32_t, 12>{1, 1, 1, 2, 4, 4});
  CHECK(rows.token_offsets == std::array<std::int64_t, 5>{0, 3, 4, 4, 6});
}

TEST_CASE("a ragged row may be written again, with another length") {
  Rows rows;
  SampleWriter writer = rows.writer(1, 0);
  fill(rows.writer(0, 0).ragged<std::int32_t>("tokens", 1), 1);
  fill(writer.ragged<std::int32_t>("tokens", 3), 2);
  writer.ragged<std::int32_t>("tokens", 2);
  fill(rows.writer(2, 0).ragged<std::int32_t>("tokens", 1), 3);
  CHECK(rows.tokens == std::array<std::int32_t, 12>{1, 2, 2, 3});
}

TEST_CASE("elements of a ragged row may have a shape") {
  Rows rows;
  SampleWriter writer = rows.writer(0, 0);
  CHECK(writer.ragged<float>("boxes", 2).size() == 4);
  const std::array<float, 2> box{5, 6};
  writer.set_tensor("boxes", DType::f32, {1, 2}, box.data());
  CHECK(rows.box_offsets[1] == 1);
  CHECK(rows.boxes[0] == 5);
  CHECK(rows.boxes[1] == 6);
}

TEST_CASE("text is written to ragged u8 fields") {
  const Schema schema({Field::text("caption", 5)});
  std::array<char, 10> bytes{};
  std::array<std::int64_t, 3> offsets{};
  std::array<std::byte*, 2> columns{reinterpret_cast<std::byte*>(bytes.data()),
                                    reinterpret_cast<std::byte*>(offsets.data())};
  SampleWriter(schema, columns, 0, 0).set_text("caption", "");
  SampleWriter(schema, columns, 1, 0).set_text(0, "hello");
  CHECK(std::string_view(bytes.data(), 5) == "hello");
  CHECK(offsets == std::array<std::int64_t, 3>{0, 0, 5});
  expect_error<ArgumentError>([&] { SampleWriter(schema, columns, 0).set_text("caption", "hello!"); },
                              {"'caption'", "length 6", "max_length 5"});
}

TEST_CASE("a row that is too long is refused with its field, its length and the maximum") {
  Rows rows;
  SampleWriter writer = rows.writer(0, 0);
  expect_error<ArgumentError>([&] { writer.ragged<std::int32_t>("tokens", 4); },
                              {"'tokens'", "length 4", "max_length 3"});
  expect_error<ArgumentError>(
      [&] {
        writer.set_tensor("boxes", DType::f32, {3, 2}, nullptr);
      },
      {"'boxes'", "length 3", "max_length 2"});
}

TEST_CASE("a ragged field is no fixed one, and the other way round") {
  Rows rows;
  SampleWriter writer = rows.writer(0, 0);
  expect_error<ArgumentError>([&] { writer.values<std::int32_t>("tokens"); }, {"'tokens'", "ragged"});
  expect_error<ArgumentError>([&] { writer.set("tokens", 1); }, {"'tokens'", "ragged"});
  expect_error<ArgumentError>([&] { writer.ragged<std::int64_t>("label", 1); },
                              {"'label'", "fixed shape []"});
  expect_error<ArgumentError>([&] { writer.ragged<float>("tokens", 1); }, {"'tokens'", "i32", "f32"});
  expect_error<ArgumentError>([&] { writer.set_text("tokens", "1"); }, {"'tokens'", "i32", "u8"});
}

TEST_CASE("a sample is complete when every ragged field has a length") {
  Rows rows;
  SampleWriter writer = rows.writer(0, 0);
  writer.set("label", std::int64_t{1});
  writer.ragged<std::int32_t>("tokens", 0);
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"did not write", "'boxes'"});
  expect_error<ArgumentError>([&] { writer.bytes(2); }, {"'boxes' is ragged"});
  expect_error<ArgumentError>([&] { writer.check_complete(); }, {"did not write", "'boxes'"});
  writer.ragged<float>("boxes", 0);
  writer.check_complete();
}

TEST_CASE("a row whose predecessor left no sensible offset is refused") {
  Rows rows;
  rows.token_offsets[2] = 7;  // row 1 of a run from row 0 on ends at 6 at most
  expect_error<Error>([&] { rows.writer(2, 0).ragged<std::int32_t>("tokens", 1); },
                      {"'tokens'", "element 7"});
  rows.token_offsets[2] = 2;
  expect_error<Error>([&] { rows.writer(2, 1).ragged<std::int32_t>("tokens", 1); },
                      {"'tokens'", "element 2"});
}

TEST_CASE("a tensor of the wrong shape or dtype is refused with its field and both shapes") {
  const Schema schema(
      {{"image", DType::u8, {2, 3}}, Field::ragged("boxes", DType::f32, {.max_length = 9, .element = {4}})});
  std::array<std::uint8_t, 6> image{};
  std::array<std::byte*, 3> columns{reinterpret_cast<std::byte*>(image.data()), nullptr, nullptr};
  SampleWriter writer(schema, columns, 0);
  const std::array<std::uint8_t, 6> given{1, 2, 3, 4, 5, 6};
  writer.set_tensor("image", DType::u8, {2, 3}, given.data());
  CHECK(image == given);
  const auto refused = [&](std::string_view field, DType dtype, const Shape& shape, std::string_view text) {
    expect_error<ArgumentError>([&] { writer.set_tensor(field, dtype, shape, nullptr); }, {text});
  };
  refused("image", DType::u8, {3, 2}, "field 'image' expects u8 [2, 3], but the sample has u8 [3, 2]");
  refused("image", DType::i8, {2, 3}, "field 'image' expects u8 [2, 3], but the sample has i8 [2, 3]");
  refused("image", DType::u8, {6}, "but the sample has u8 [6]");
  refused("boxes", DType::f32, {2, 5},
          "field 'boxes' expects f32 [0 to 9, 4], but the sample has f32 [2, 5]");
  refused("boxes", DType::f32, {}, "but the sample has f32 []");
}

}  // namespace leat::test
