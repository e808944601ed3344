#include "leat/datasets/io/byte_reader.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

TEST_CASE("numbers of both byte orders, and text") {
  const auto bytes = bytes_of(
      FileBytes().u16(0x1234).big(std::uint32_t{0xdeadbeef}).little(std::int64_t{-2}).text("abc").str());
  ByteReader reader(bytes, "file", 100);
  CHECK(reader.little<std::uint16_t>() == 0x1234);
  CHECK(reader.big<std::uint32_t>() == 0xdeadbeef);
  CHECK(reader.offset() == 106);
  CHECK(reader.little<std::int64_t>() == -2);
  CHECK(reader.remaining() == 3);
  CHECK(reader.text(3) == "abc");
  CHECK(reader.at_end());
}

TEST_CASE("what is beyond the end is an error that names file, offset and size") {
  const auto bytes = bytes_of("abc");
  ByteReader reader(bytes, "x.bin", 7);
  reader.take(1);
  expect_error<DataError>([&] { reader.little<std::uint32_t>(); },
                          {"x.bin", "offset 8", "4 bytes are expected, but 2 are left"});
  expect_error<DataError>([&] { reader.take(std::numeric_limits<std::uint64_t>::max()); }, {"x.bin"});
  CHECK(reader.remaining() == 2);  // a refused step takes nothing
  ByteReader part = reader.sub(1);
  CHECK(part.offset() == 8);
  CHECK(part.text(1) == "b");
  expect_error<DataError>([&] { part.take(1); }, {"offset 9"});
  CHECK(reader.text(1) == "c");
}

}  // namespace leat::test
