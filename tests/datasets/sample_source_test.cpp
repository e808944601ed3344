#include "leat/datasets/sample_source.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/formats/stored_value.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"

namespace leat::test {

TEST_CASE("whole numbers out of every encoding that holds one") {
  const auto number = [](const char* encoding, std::string_view bytes) {
    const std::vector<std::byte> value = bytes_of(bytes);
    return integer_of({"y", parse_encoding(encoding), value});
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
  StoredSample sample;
  sample.add("a", Encoding::bytes).memory() = bytes_of("1");
  sample.add("b", Encoding::bytes).memory() = bytes_of("2");
  sample.clear();
  CHECK(sample.add("c", Encoding::text).bytes().empty());
  CHECK(sample.fields().size() == 1);
  CHECK(sample.find("a") == nullptr);
  CHECK(sample.find("b") == nullptr);
  REQUIRE(sample.find("c") != nullptr);
  CHECK(FieldChoice().wants("x"));
  CHECK(FieldChoice({"x"}).wants("x"));
  CHECK(!FieldChoice({"x"}).wants("y"));
}

TEST_CASE("pixels that are not what their encoding says are refused") {
  const std::vector<std::byte> bytes(12);
  const auto loaded = [&](const Encoding& encoding) {
    std::vector<std::uint8_t> row(12);
    leat::detail::copy_pixels({"x", encoding, bytes}, {2, 2}, std::as_writable_bytes(std::span(row)));
  };
  loaded(Encoding::pixels_of(2, 2, 3));
  expect_error<DataError>([&] { loaded(Encoding::pixels_of(1, 4, 3)); }, {"'x'", "give transforms"});
  for (const Encoding& encoding :
       {Encoding(Encoding::pixels), Encoding::pixels_of(2, 3, 3), Encoding::pixels_of(0, 0, 3),
        Encoding::pixels_of(3, 2, 2), Encoding::pixels_of(~0ULL, 12, 1),
        Encoding::pixels_of((1ULL << 62) + 3, 4, 1)}) {
    expect_error<DataError>([&] { loaded(encoding); }, {"'x' (pil)", "12 bytes are no pixels"});
    expect_error<DataError>([&] { leat::detail::parse_value({"x", encoding, bytes}); }, {"'x' (pil)"});
  }
}

}  // namespace leat::test
