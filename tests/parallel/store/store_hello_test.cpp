#include "leat/parallel/store/store_hello.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "leat/parallel/communicator.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

const std::string kSecret = "a secret of 32 characters, or so";
const std::string kServerNonce(kNonceBytes, 's');

StoreHello hello_of_rank_3() {
  return {.nonce = std::string(kNonceBytes, 'c'),
          .port = 29'500,
          .world_size = 70'000,
          .rank = 3,
          .restart = 2,
          .run_id = "run 7"};
}

TEST_CASE("a hello arrives whole however it is cut and is signed") {
  const std::string bytes = encode(hello_of_rank_3(), kSecret, kServerNonce);
  std::string buffer;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    buffer.push_back(bytes[i]);
    REQUIRE_FALSE(take_hello(buffer).has_value());
  }
  buffer += bytes.back();
  buffer += "next";
  const auto received = take_hello(buffer);
  REQUIRE(received.has_value());
  CHECK(received->hello.nonce == std::string(kNonceBytes, 'c'));
  CHECK(received->hello.port == 29'500);
  CHECK(received->hello.world_size == 70'000);
  CHECK(received->hello.rank == 3);
  CHECK(received->hello.restart == 2);
  CHECK(received->hello.run_id == "run 7");
  CHECK(received->bytes == bytes);
  CHECK(buffer == "next");
  CHECK(received->is_signed_by(kSecret, kServerNonce));
}

TEST_CASE("a hello with any other byte, secret or nonce is not signed") {
  const std::string bytes = encode(hello_of_rank_3(), kSecret, kServerNonce);
  for (std::size_t i = 8; i < bytes.size(); ++i) {
    if (i >= 40 && i < 44) continue;  // the size of the run id, which changes where the code begins
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto received = take_hello(changed);
    REQUIRE(received.has_value());
    CHECK_FALSE(received->is_signed_by(kSecret, kServerNonce));
  }
  std::string buffer = bytes;
  const auto received = take_hello(buffer);
  CHECK_FALSE(received->is_signed_by("another secret", kServerNonce));
  CHECK_FALSE(received->is_signed_by("", kServerNonce));
  CHECK_FALSE(received->is_signed_by(kSecret, std::string(kNonceBytes, 't')));
}

TEST_CASE("bytes that cannot become a hello are refused at the first wrong one") {
  std::string http = "GET / HTTP/1.1\r\n";
  expect_error<CommunicationError>([&] { take_hello(http); }, {"no leat store client"});
  std::string old = "leat-kv1";
  expect_error<CommunicationError>([&] { take_hello(old); }, {"no leat store client"});
  std::string begun = "lea";
  CHECK_FALSE(take_hello(begun).has_value());
  std::string long_id =
      encode(StoreHello{.nonce = std::string(kNonceBytes, 'c'), .run_id = std::string(257, 'i')}, "", "");
  expect_error<CommunicationError>([&] { take_hello(long_id); }, {"257", "256"});
}

TEST_CASE("a welcome is accepted only if it answers this hello with this secret") {
  const std::string hello = encode(hello_of_rank_3(), kSecret, kServerNonce);
  const std::string bytes =
      encode(StoreWelcome{.status = WelcomeStatus::refused, .payload = "why"}, kSecret, kServerNonce, hello);
  CHECK(bytes_after_header(bytes.substr(0, kWelcomeHeaderBytes)) == bytes.size() - kWelcomeHeaderBytes);
  const auto welcome = decode_welcome(bytes, kSecret, kServerNonce, hello);
  REQUIRE(welcome.has_value());
  CHECK(welcome->status == WelcomeStatus::refused);
  CHECK(welcome->payload == "why");
  CHECK_FALSE(decode_welcome(bytes, "another secret", kServerNonce, hello).has_value());
  CHECK_FALSE(decode_welcome(bytes, kSecret, std::string(kNonceBytes, 't'), hello).has_value());
  CHECK_FALSE(decode_welcome(bytes, kSecret, kServerNonce, hello + "x").has_value());
  std::string changed = bytes;
  changed[0] = 0;  // ok instead of refused
  CHECK_FALSE(decode_welcome(changed, kSecret, kServerNonce, hello).has_value());
}

TEST_CASE("a welcome of any length beyond the limit is refused before its bytes come") {
  expect_error<CommunicationError>([] { bytes_after_header(std::string("\0\x01\x10\0\0", 5)); },
                                   {"not that of a leat store"});
  expect_error<CommunicationError>([] { bytes_after_header("HTTP/"); }, {"not that of a leat store"});
  const StoreWelcome too_long{.status = WelcomeStatus::refused, .payload = std::string(10'000, 'x')};
  const std::string bytes = encode(too_long, kSecret, kServerNonce, "");
  CHECK(bytes.size() == kWelcomeHeaderBytes + kMaxWelcomePayload + kSha256Bytes);
}

TEST_CASE("two nonces differ") {
  CHECK(make_nonce().size() == kNonceBytes);
  CHECK(make_nonce() != make_nonce());
}

}  // namespace
}  // namespace leat::test
