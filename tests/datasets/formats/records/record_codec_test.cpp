#include "leat/datasets/formats/records/record_codec.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using Bodies = std::vector<std::vector<std::byte>>;

Bodies noise(std::size_t count, std::size_t bytes) {
  Rng rng(5, 0, 0);
  Bodies bodies(count, std::vector<std::byte>(bytes));
  for (auto& body : bodies) {
    for (std::byte& byte : body) byte = static_cast<std::byte>(rng() >> 24);
  }
  return bodies;
}

// Texts that have little in themselves and much in common with each other.
Bodies forms(std::size_t count) {
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    bodies.push_back(
        bytes_of("{\"camera\": \"front-left\", \"exposure\": \"1/" + std::to_string(i * 37 % 1000) +
                 "\", \"weather\": \"overcast\", \"place\": \"harbour " + std::to_string(i) + "\"}"));
  }
  return bodies;
}

}  // namespace

TEST_CASE("noise is stored, long alike texts are compressed, short ones with a shared dictionary") {
  CHECK_FALSE(measure_compression(noise(64, 4096), 3).on);
  const Compression alone = measure_compression(Bodies(4, std::vector<std::byte>(100'000)), 3);
  CHECK(alone.on);
  CHECK(alone.dictionary.empty());
  const Compression shared = measure_compression(forms(500), 3);
  CHECK(shared.on);
  CHECK_FALSE(shared.dictionary.empty());
  CHECK_FALSE(measure_compression({}, 3).on);
}

TEST_CASE("frames unpack to what they were made of, with and without a dictionary") {
  const Bodies bodies = forms(500);
  for (const bool shared : {false, true}) {
    INFO("shared " << shared);
    const Compression how{true, 3, shared ? train_dictionary(bodies) : std::vector<std::byte>()};
    const RecordCompressor compressor(how);
    const RecordDecompressor decompressor(how.dictionary);
    std::size_t sum = 0;
    for (const auto& body : bodies) {
      std::vector<std::byte> frame, back(body.size());
      const bool shorter = compressor.compress(body, frame);
      CHECK(shorter == (frame.size() < body.size()));
      decompressor.decompress(frame, back);
      CHECK(back == body);
      sum += frame.size();
    }
    CHECK((sum < 25'000) == shared);  // of 52,000
  }
}

TEST_CASE("a frame that is cut, or of another dictionary, is an error and never an overrun") {
  const Bodies bodies = forms(500);
  const Compression how{true, 3, train_dictionary(bodies)};
  std::vector<std::byte> frame, back(bodies[0].size());
  REQUIRE(RecordCompressor(how).compress(bodies[0], frame));
  const RecordDecompressor decompressor(how.dictionary);
  for (std::size_t length = 0; length < frame.size(); ++length) {
    expect_error<Error>([&] { decompressor.decompress(std::span(frame).first(length), back); });
  }
  std::vector<std::byte> small(back.size() - 1), large(back.size() + 1);
  expect_error<Error>([&] { decompressor.decompress(frame, small); });
  expect_error<Error>([&] { decompressor.decompress(frame, large); }, {"instead of"});
}

TEST_CASE("what zstd cannot make smaller is not called compressed") {
  std::vector<std::byte> frame;
  CHECK_FALSE(RecordCompressor({true, 3, {}}).compress(noise(1, 1000)[0], frame));
  expect_error<ArgumentError>([] { RecordCompressor({true, 0, {}}); }, {"levels 1 to 22"});
}

}  // namespace leat::test
