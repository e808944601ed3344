#include "leat/datasets/formats/raw_source.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"

namespace leat::test {

TEST_CASE("whole numbers out of every encoding that holds one") {
  const auto number = [](const char* encoding, std::string_view bytes) {
    return integer_of({"y", encoding, bytes_of(bytes)});
  };
  CHECK(number("str_int", " -12\n") == -12);
  CHECK(number("int", FileBytes().little(std::int64_t{-5})) == -5);
  CHECK(number("int16", FileBytes().little(std::int16_t{-5})) == -5);
  CHECK(number("uint8", FileBytes().u8(200)) == 200);
  CHECK(number("int8", FileBytes().u8(200)) == -56);
  CHECK(number("uint64", FileBytes().u64(7)) == 7);
  CHECK(number("ndarray:int64:1", FileBytes().u64(9)) == 9);
  expect_error<DataError>([&] { number("uint64", FileBytes().u64(~0ULL)); }, {"'y' (uint64)", "exceeds"});
  expect_error<DataError>([&] { number("int", "abc"); }, {"3 bytes, not 8"});
  for (const char* text : {"", "x", "1.5", "12 13", "99999999999999999999"}) {
    expect_error<DataError>([&] { number("str_int", text); }, {"no whole number of 64 bits"});
  }
  expect_error<DataError>([&] { number("jpeg", "abc"); }, {"'y' (jpeg)"});
  expect_error<DataError>([&] { number("ndarray:int64:2", FileBytes().zeros(16)); }, {"no whole number"});
}

TEST_CASE("a sample keeps nothing of the one before") {
  RawSample sample;
  sample.add("a", "bytes").bytes = bytes_of("1");
  sample.add("b", "bytes").bytes = bytes_of("2");
  sample.clear();
  CHECK(sample.add("c", "str").bytes.empty());
  CHECK(sample.fields().size() == 1);
  CHECK(sample.find("a") == nullptr);
  CHECK(sample.find("b") == nullptr);
  REQUIRE(sample.find("c") != nullptr);
  CHECK(FieldChoice().wants("x"));
  CHECK(FieldChoice({"x"}).wants("x"));
  CHECK(!FieldChoice({"x"}).wants("y"));
}

}  // namespace leat::test
