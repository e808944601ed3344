#include "leat/parallel/store/store_protocol.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "leat/parallel/communicator.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

TEST_CASE("a request arrives whole, however it is cut") {
  const std::string bytes = encode(
      StoreRequest{.op = StoreOp::set, .wait_ms = 70'000, .key = "key", .value = std::string("va\0ue", 5)});
  std::string buffer;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    buffer.push_back(bytes[i]);
    REQUIRE_FALSE(take_request(buffer).has_value());
  }
  buffer += bytes.back();
  buffer += "next";
  const auto request = take_request(buffer);
  REQUIRE(request.has_value());
  CHECK(request->op == StoreOp::set);
  CHECK(request->wait_ms == 70'000);
  CHECK(request->key == "key");
  CHECK(request->value == std::string("va\0ue", 5));
  CHECK(buffer == "next");
}

TEST_CASE("lengths beyond the limits are refused before their bytes come") {
  const auto header = [](unsigned char op, std::uint32_t key, std::uint32_t value) {
    std::string bytes(1, static_cast<char>(op));
    for (const std::uint32_t field : {0U, key, value}) {
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(field >> shift));
    }
    return bytes;
  };
  const auto take = [](std::string bytes) { return take_request(bytes); };
  expect_error<CommunicationError>([&] { take(header(1, 1025, 0)); }, {"1025", "1024"});
  expect_error<CommunicationError>([&] { take(header(1, 1, 1'048'577)); }, {"1048577", "1048576"});
  expect_error<CommunicationError>([&] { take(header(1, 0xffffffffU, 0xffffffffU)); }, {"4294967295"});
  expect_error<CommunicationError>([&] { take(header(0, 1, 1)); }, {"operation 0"});
  expect_error<CommunicationError>([&] { take(header(5, 1, 1)); }, {"operation 5"});
  CHECK_FALSE(take(header(1, 1024, 1'048'576)).has_value());
}

TEST_CASE("a client cannot encode what the server would refuse") {
  expect_error<ArgumentError>([] { encode(StoreRequest{.key = ""}); }, {"1 to 1024 bytes, not 0"});
  expect_error<ArgumentError>([] { encode(StoreRequest{.key = std::string(1025, 'k')}); }, {"1025"});
  expect_error<ArgumentError>([] { encode(StoreRequest{.key = "k", .value = std::string(1'048'577, 'v')}); },
                              {"1048577"});
}

TEST_CASE("random bytes are a request, an error, or not enough, and nothing else") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 6);
    const std::size_t before = bytes.size();
    try {
      const auto request = take_request(bytes);
      const std::size_t taken =
          request ? kRequestHeaderBytes + request->key.size() + request->value.size() : 0;
      REQUIRE(bytes.size() == before - taken);
    } catch (const CommunicationError&) {
      REQUIRE(bytes.size() == before);
    }
  }
}

TEST_CASE("an answer that is not a store's is refused") {
  expect_error<CommunicationError>([] { decode_reply_header("HTTP/"); }, {"another program"});
}

}  // namespace
}  // namespace leat::test
