#include "leat/parallel/store/store_table.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/parallel/communicator.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("values are replaced, and counters begin at 0") {
  StoreTable table;
  CHECK(table.find("a") == nullptr);
  table.set("a", "1");
  table.set("a", "two");
  CHECK(*table.find("a") == "two");
  CHECK(table.add("n", "5") == "5");
  CHECK(table.add("n", "-7") == "-2");
}

TEST_CASE("only numbers that fit are added") {
  StoreTable table;
  table.set("text", "abc");
  table.set("big", "9223372036854775807");
  expect_error<CommunicationError>([&] { table.add("text", "1"); }, {"\"text\"", "decimal"});
  expect_error<CommunicationError>([&] { table.add("n", "1x"); }, {"\"n\"", "decimal"});
  expect_error<CommunicationError>([&] { table.add("big", "1"); }, {"64 bits"});
  CHECK(*table.find("big") == "9223372036854775807");
}

TEST_CASE("a full store refuses more and keeps what it has") {
  StoreTable table;
  const std::string megabyte(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 255; ++i) table.set(std::to_string(i), megabyte);
  expect_error<CommunicationError>(
      [&] {
        table.set("255", megabyte);
        table.set("256", megabyte);
      },
      {"full", "268435456 bytes"});
  CHECK(table.find("256") == nullptr);
  table.set("0", "short");  // gives room
  table.set("256", "more");
  CHECK(*table.find("256") == "more");
}

TEST_CASE("a value that is set again takes no more room than it has") {
  StoreTable table;
  const std::string key(std::size_t{1} << 20, 'k');
  for (int i = 0; i < 300; ++i) table.set(key, std::to_string(i));
  CHECK(*table.find(key) == "299");
}

}  // namespace
}  // namespace leat::test
