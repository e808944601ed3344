#include "leat/loader/sweep_page.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/loader/sweep/chart.h"
#include "leat/loader/sweep/conclusion.h"
#include "tests/loader/sweep/sweep_rounds.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

SweepResult result_of(const test::Speeds& speeds, double others = 0) {
  SweepResult result = conclude(test::rounds_at(speeds, others), {});
  result.machine.usable_cpus = 2;
  return result;
}

bool holds(const std::string& html, std::string_view text) {
  return html.find(text) != std::string::npos;
}

std::size_t count(const std::string& html, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = html.find(text); at != std::string::npos; at = html.find(text, at + 1)) ++found;
  return found;
}

// Whether every element that is opened is closed, in order; void elements aside.
bool is_balanced(const std::string& html) {
  static const std::vector<std::string> kVoid{"meta", "br", "!DOCTYPE"};
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([!a-zA-Z][a-zA-Z0-9]*)((?:[^<>"]|"[^"]*")*?)(/?)>)");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (!(*at)[4].str().empty() || std::ranges::find(kVoid, name) != kVoid.end()) continue;
    if ((*at)[1].str().empty()) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

const test::Speeds kCalm{{0, {1000, 1000, 1000}}, {1, {950, 960, 970}}, {2, {1990, 2000, 2010}}};

}  // namespace

TEST_CASE("the page loads nothing from elsewhere and runs no script") {
  const std::string html = to_html(result_of(kCalm));
  for (const char* text :
       {"<script", "<link", "<img", "@import", "url(", "src=", "http:", "https:", "<iframe"}) {
    INFO(text);
    CHECK_FALSE(holds(html, text));
  }
  CHECK(holds(html, "name=\"viewport\""));
  CHECK(holds(html, "prefers-color-scheme:dark"));
}

TEST_CASE("the page's elements are closed in order") {
  CHECK(is_balanced(to_html(result_of(kCalm))));
  CHECK(is_balanced(to_html(result_of({{0, {1, 5, 9}}}, 0.5),
                            {.costs = {{"read", "the file", 3}}, .what_if = {{"cache", "copied", 1, 2}}})));
  CHECK_FALSE(is_balanced("<p><b></p></b>"));
}

TEST_CASE("the page says whether the result can be relied on") {
  CHECK_FALSE(holds(to_html(result_of(kCalm)), "not to be relied on"));
  const std::string bad = to_html(result_of(kCalm, 0.5));
  CHECK(holds(bad, "not to be relied on"));
  CHECK(holds(bad, "others used 50 % of the CPUs"));
}

TEST_CASE("names on the page are escaped") {
  SweepResult result = result_of(kCalm);
  result.data.what = "<b>&\"'";
  result.data.settings = {{"<i>", "</dl>"}};
  const std::string html = to_html(result, {.costs = {{"<u>", "<u>", 1}}, .what_if = {{"<u>", "<u>", 1, 1}}});
  CHECK(holds(html, "&lt;b&gt;&amp;&quot;&#39;"));
  CHECK_FALSE(holds(html, "<b>&"));
  CHECK_FALSE(holds(html, "<u>"));
  CHECK_FALSE(holds(html, "<i>&"));
  CHECK(is_balanced(html));
}

TEST_CASE("each run and each round is on the page") {
  const std::string html = to_html(result_of(kCalm));
  CHECK(count(html, "<polyline") == 1);
  CHECK(count(html, "class=\"dot\"") == 9);
  CHECK(count(html, "class=\"quartiles\"") == 2);  // those of equal rounds have none
  CHECK(count(html, "class=\"bar\"") + count(html, "class=\"bar chosen\"") == 6);
  CHECK(holds(html, ">2,000<"));
}

TEST_CASE("the limit of the CPUs is all of them at the lowest cost of a sample") {
  SweepResult result = result_of(kCalm);  // 0.5 s of CPU in each round: cheapest with two workers
  CHECK(cpu_limit(result) == 2 * 1000 / 0.25);
  CHECK(holds(to_html(result), "limit of 2 CPUs: 8,000"));
  for (SweepRun& run : result.runs) run.cpu_seconds_per_1000_samples = 0;
  CHECK(cpu_limit(result) == 0);
  CHECK_FALSE(holds(to_html(result), "limit of"));
  test::expect_error<ArgumentError>([] { cpu_limit({}); }, {"without runs"});
  test::expect_error<ArgumentError>([] { to_html({}); }, {"without runs"});
}

TEST_CASE("a prediction stands beside what was measured") {
  const WhatIf checked{"records", "no files are opened", 1000, 1100, distribution_of({1200, 1210, 1220})};
  CHECK(deviation(checked));
  CHECK(std::abs(*deviation(checked) - 0.1) < 1e-9);
  const std::string html = to_html(result_of(kCalm), {.costs = {}, .what_if = {checked}});
  CHECK(holds(html, "1,100 (+10.0 %)"));
  CHECK(holds(html, "1,210 (+21.0 %)"));
  CHECK(holds(html, "Checked by a run: 10.0 % more than predicted."));

  WhatIf unchecked = checked;
  unchecked.predicted = 12000;
  unchecked.measured.reset();
  CHECK_FALSE(deviation(unchecked));
  CHECK(holds(to_html(result_of(kCalm), {.costs = {}, .what_if = {unchecked}}), "Not checked by a run."));
  CHECK(holds(to_html(result_of(kCalm), {.costs = {}, .what_if = {unchecked}}), "12,000 (12 times)"));
}

TEST_CASE("the steps of a sample are shown with their shares") {
  const std::string html = to_html(
      result_of(kCalm), {.costs = {{"read", "the file", 30}, {"decode", "to pixels", 90}}, .what_if = {}});
  CHECK(holds(html, ">25 %<"));
  CHECK(holds(html, ">75 %<"));
  CHECK(holds(html, "120 µs in all"));
  CHECK_FALSE(holds(to_html(result_of(kCalm)), "Where a sample"));
}

TEST_CASE("an axis has round marks beyond its largest value") {
  CHECK(axis_marks(100) == std::vector<double>{0, 50, 100, 150});
  CHECK(axis_marks(1900) == std::vector<double>{0, 500, 1000, 1500, 2000});
  CHECK(axis_marks(7) == std::vector<double>{0, 2, 4, 6, 8});
  CHECK(axis_marks(0) == std::vector<double>{0, 1});
  CHECK(axis_marks(std::numeric_limits<double>::quiet_NaN()) == std::vector<double>{0, 1});
  for (double largest = 0.001; largest < 1e9; largest *= 1.37) {
    const auto marks = axis_marks(largest);
    INFO(largest);
    CHECK(marks.back() >= largest);
    CHECK(marks.size() >= 3);
    CHECK(marks.size() <= 7);
  }
}

TEST_CASE("numbers for people") {
  CHECK(in_words(0) == "0");
  CHECK(in_words(1234567.4) == "1,234,567");
  CHECK(in_words(-1234) == "-1,234");
  CHECK(in_words(-123) == "-123");
  CHECK(in_words(123) == "123");
  CHECK(in_words(12.34) == "12.3");
  CHECK(in_words(1.5) == "1.5");
  CHECK(in_words(0.0456) == "0.046");
  CHECK(in_words(2) == "2");
  CHECK(in_words(std::numeric_limits<double>::infinity()) == "?");
  CHECK(in_short(12345) == "12,345");
  CHECK(in_short(123456) == "123 k");
  CHECK(in_short(999600) == "1 M");
  CHECK(in_short(2015000) == "2.02 M");
}

}  // namespace leat
