#include "tools/sweep/report.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "leat/loader/sweep/conclusion.h"
#include "tests/loader/sweep/sweep_rounds.h"
#include "tests/support/temporary_folder.h"
#include "tools/sweep/options.h"
#include "tools/sweep/swept_images.h"

using namespace leat::detail;
using namespace leat::tools;
using leat::test::rounds_at;

TEST_CASE("rows of the table are as wide as its header") {
  for (const std::uint64_t speed : {1, 12345, 4600000}) {
    leat::SweepResult result = leat::detail::conclude(rounds_at({{2, {speed}}}, std::nullopt), {});
    CHECK(table_row(result.runs.front()).size() == table_header().size());
    result = leat::detail::conclude(rounds_at({{2, {speed}}}, 1.0), {});
    CHECK(table_row(result.runs.front()).size() == table_header().size());
  }
}

TEST_CASE("each column of the table is explained in a line") {
  const std::string text = explain_table();
  for (const char* column : {"  samples/s ", "  spread ", "  first batch ", "  CPU ", "  others ",
                             "  waiting ", "  CPU s/1000 ", "  peak memory "}) {
    INFO(column);
    CHECK(text.find(column) != std::string::npos);
  }
}

TEST_CASE("a recommendation that is not to be relied on says so, and why") {
  const std::string good = recommendation(leat::detail::conclude(rounds_at({{2, {100, 100, 100}}}), {}));
  CHECK(good.starts_with("recommended number of workers: 2"));
  CHECK(good.find("relied") == std::string::npos);
  const std::string bad = recommendation(leat::detail::conclude(rounds_at({{2, {100, 200, 300}}}, 0.4), {}));
  CHECK(bad.starts_with("recommended number of workers: 2"));
  CHECK(bad.find("not to be relied on") != std::string::npos);
  CHECK(bad.find("others used 40 %") != std::string::npos);
  CHECK(bad.find("spread over 50 %") != std::string::npos);
}

TEST_CASE("a round's progress is one line") {
  leat::SweepRound round = leat::test::round_at(1, 700);
  CHECK(progress(round, 5, true, false) == "round 1 of 5, samples/s: 1 worker 700, ");
  round.num_workers = 2;
  CHECK(progress(round, 5, false, true) == "2 workers 700\n");
}

TEST_CASE("the time of a number of workers is divided among the rounds") {
  SweepOptions options;
  options.seconds = 5;
  options.rounds = 4;
  CHECK(round_time(options).count() == 1250);
  options.seconds = 0.1;
  options.rounds = 1000;
  CHECK(round_time(options).count() == 1);
}

TEST_CASE("stored bytes are those of all files") {
  const leat::test::TemporaryFolder folder;
  folder.write("a/1", "12345");
  folder.write("a/b/2", "123");
  CHECK(stored_bytes(folder.path()) == 8);
  CHECK(stored_bytes(folder / "a/1") == 5);
  CHECK_FALSE(stored_bytes(folder / "{0..3}.tar"));
}
