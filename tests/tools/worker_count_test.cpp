#include "tools/common/worker_count.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/loader/data_loader.h"
#include "tests/support/expect_error.h"
#include "tools/common/command_line.h"

using namespace leat::tools;
using leat::test::expect_error;
using Counts = std::vector<int>;

TEST_CASE("a list of workers is sorted and free of repetitions") {
  CHECK(parse_worker_list("0,1,2,4", 2) == Counts{0, 1, 2, 4});
  CHECK(parse_worker_list("4,0,4", 2) == Counts{0, 4});
  CHECK(parse_worker_list("7", 2) == Counts{7});
}

TEST_CASE("auto goes up to the CPUs that may be used") {
  CHECK(parse_worker_list("auto", 1) == Counts{0, 1});
  CHECK(parse_worker_list("auto", 2) == Counts{0, 1, 2});
  CHECK(parse_worker_list("auto", 6) == Counts{0, 1, 2, 4, 6});
  CHECK(parse_worker_list("auto", 8) == Counts{0, 1, 2, 4, 8});
  CHECK(parse_worker_list("auto", 1.5) == Counts{0, 1, 2});
  CHECK(parse_worker_list("auto", 0.1) == Counts{0, 1});
}

TEST_CASE("one number of workers, or the loader's choice") {
  CHECK(parse_worker_count("auto") == leat::kAutoWorkers);
  CHECK(parse_worker_count("0") == 0);
  CHECK(parse_worker_count("1024") == 1024);
}

TEST_CASE("what is no number of workers is named") {
  for (const char* text : {"", "x", "-1", "1.5", "2 ", "1025", "99999999999999999999"}) {
    INFO("'" << text << "'");
    expect_error<UsageError>([&] { parse_worker_count(text); }, {text, "0 to 1024"});
  }
  expect_error<UsageError>([] { parse_worker_list("1,,2", 2); }, {"''"});
  expect_error<UsageError>([] { parse_worker_list("1,2,", 2); }, {"''"});
  expect_error<UsageError>([] { parse_worker_list("1,zwei,2", 2); }, {"'zwei'"});
}
