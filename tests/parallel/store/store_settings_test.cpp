#include "leat/parallel/store/store_settings.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <vector>

#include "leat/parallel/communicator.h"
#include "tests/parallel/support/ranks.h"
#include "tests/parallel/support/stores.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;
using namespace std::chrono_literals;

namespace {

using Settings = std::vector<JobSetting>;

TEST_CASE("equal settings in any order are equal") {
  const auto stores = loopback_stores(3);
  run_ranks(3, [&](int rank) {
    const Settings settings =
        rank == 1 ? Settings{{"batch", "64"}, {"seed", "5"}} : Settings{{"seed", "5"}, {"batch", "64"}};
    for (int round = 0; round < 3; ++round)
      stores[static_cast<std::size_t>(rank)]->compare_settings(settings, 10s);
  });
}

TEST_CASE("every rank is told each setting that differs, with the values and their ranks") {
  const auto stores = loopback_stores(4);
  const auto errors = errors_of_ranks(4, [&](int rank) {
    Settings settings{{"seed", rank == 2 ? "5" : "0"}, {"batch", "64"}, {"model", rank == 0 ? "a" : "b"}};
    if (rank == 3) settings.push_back({"schema", "x"});
    stores[static_cast<std::size_t>(rank)]->compare_settings(settings, 10s);
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error == errors[0]);
    CHECK(error.find("seed is \"0\" on ranks 0, 1, 3, \"5\" on rank 2") != std::string::npos);
    CHECK(error.find("model is \"a\" on rank 0, \"b\" on ranks 1, 2, 3") != std::string::npos);
    CHECK(error.find("schema is \"x\" on rank 3, not given on ranks 0, 1, 2") != std::string::npos);
    CHECK(error.find("batch") == std::string::npos);
  }
}

TEST_CASE("a difference is an ArgumentError, and the store still works after it") {
  const auto stores = loopback_stores(2);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    auto& store = *stores[static_cast<std::size_t>(rank)];
    const Settings settings{{"seed", std::to_string(rank)}};
    try {
      store.compare_settings(settings, 10s);
    } catch (const ArgumentError&) {
      store.compare_settings(Settings{{"seed", "5"}}, 10s);
      return;
    }
    expect(false, "an ArgumentError");
  });
  CHECK(errors == std::vector<std::string>{"", ""});
}

TEST_CASE("ranks that do not come to compare are named on every rank that does") {
  const auto stores = loopback_stores(4);
  std::string errors[2];
  run_ranks(2, [&](int rank) {
    try {
      stores[static_cast<std::size_t>(rank)]->compare_settings(Settings{{"seed", "5"}}, 100ms);
    } catch (const CommunicationError& error) {
      errors[rank] = error.what();
    }
  });
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("ranks 2, 3 did not come to compare settings within 100 ms") != std::string::npos);
  }
}

TEST_CASE("a difference is told even if other ranks are missing") {
  const auto stores = loopback_stores(3);
  const auto errors = errors_of_ranks(2, [&](int rank) {
    stores[static_cast<std::size_t>(rank)]->compare_settings(Settings{{"seed", std::to_string(rank)}}, 100ms);
  });
  for (const std::string& error : errors)
    CHECK(error.find("seed is \"0\" on rank 0, \"1\" on rank 1") != std::string::npos);
}

TEST_CASE("long values are cut in the message, where a digest tells them apart") {
  SettingsComparison comparison;
  const std::string a(5000, 'a');
  comparison.add(0, encode_settings(Settings{{"schema", a}}));
  comparison.add(1, encode_settings(Settings{{"schema", a + "b"}}));
  const std::string message = comparison.outcome(1s).message;
  INFO(message);
  CHECK(message.size() < 400);
  CHECK(message.find("(5000 bytes, SHA-256 ") != std::string::npos);
  CHECK(message.find("(5001 bytes, SHA-256 ") != std::string::npos);
}

TEST_CASE("many ranks with the same value are counted, not listed") {
  SettingsComparison comparison;
  for (int rank = 0; rank < 100; ++rank) {
    comparison.add(rank, encode_settings(Settings{{"seed", rank == 99 ? "1" : "0"}}));
  }
  const std::string message = comparison.outcome(1s).message;
  INFO(message);
  CHECK(message.find("ranks 0, 1, 2, 3, 4, 5, 6, 7 and 91 more, \"1\" on rank 99") != std::string::npos);
}

TEST_CASE("settings without a name, with one name twice, or beyond the limit are refused") {
  expect_error<ArgumentError>([] { encode_settings(Settings{{"", "5"}}); }, {"\"\""});
  expect_error<ArgumentError>(
      [] {
        encode_settings(Settings{{"seed", "5"}, {"seed", "6"}});
      },
      {"\"seed\"", "twice"});
  expect_error<ArgumentError>(
      [] {
        encode_settings(Settings{{"seed", "5"}, {"text", std::string(16384, 't')}});
      },
      {"\"text\"", "16384"});
}

TEST_CASE("damaged settings of a rank are an error, not read beyond their end") {
  const std::string good = encode_settings(Settings{{"seed", "5"}});
  for (std::size_t size = 1; size < good.size(); ++size) {
    SettingsComparison comparison;
    expect_error<CommunicationError>([&] { comparison.add(0, good.substr(0, size)); }, {"damaged"});
  }
}

}  // namespace
}  // namespace leat::test
