#include "leat/loader/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"
#include "leat/loader/sweep/chart.h"
#include "leat/version.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>leat-sweep</title>
<style>
:root{--page:#f5f6f8;--card:#fff;--ink:#1b2330;--soft:#5c6675;--edge:#dfe3e9;--main:#1769c2;--pale:#a9cbf0;
--good:#18794e;--good-pale:#e0f4ea;--bad:#a8410b;--bad-pale:#fdeee2;--s0:#1769c2;--s1:#d9822b;--s2:#3a9d6e;--s3:#8a5bc7;--s4:#7b8794}
@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--ink:#e6eaf0;--soft:#9aa5b4;--edge:#323b47;
--main:#5aa7f5;--pale:#2c4d70;--good:#5fd39b;--good-pale:#16352a;--bad:#f2a069;--bad-pale:#3b2417;--s0:#5aa7f5;--s1:#e8a45c;
--s2:#5cc493;--s3:#b48ae6;--s4:#93a0ae}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1080px;margin:0 auto;padding:20px 16px 48px}
h1{font-size:1.25rem;margin:.2em 0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:0 0 .5em}
p{margin:.4em 0}.soft{color:var(--soft);font-size:.9rem}
.card{background:var(--card);border:1px solid var(--edge);border-radius:12px;padding:16px;margin:16px 0 0;min-width:0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:0 16px}
.verdict{display:flex;flex-wrap:wrap;gap:4px 22px;align-items:center}
.number{font-size:2.9rem;font-weight:700;line-height:1.1;color:var(--main)}
.badge{display:inline-block;border-radius:999px;padding:1px 12px;font-weight:600;font-size:.9rem}
.good{background:var(--good-pale);color:var(--good)}.bad{background:var(--bad-pale);color:var(--bad)}
.verdict ul,.doubts{margin:.3em 0 0;padding-left:1.2em}
svg{display:block;width:100%;max-width:640px;height:auto;margin:0 auto}
svg text{font-family:inherit}.axis{font-size:12px;fill:var(--soft)}.value{font-size:12px;fill:var(--ink)}
.strong{font-weight:700;fill:var(--ink)}.grid{stroke:var(--edge)}.line{fill:none;stroke:var(--main);stroke-width:2}
.limit{stroke:var(--bad);stroke-dasharray:6 4;stroke-width:1.5}.limit-label{font-size:12px;fill:var(--bad)}
@media(max-width:560px){.axis,.value,.limit-label{font-size:15px}}
.bar{fill:var(--pale)}.bar.chosen{fill:var(--main)}.whisker{stroke:var(--soft);stroke-width:1.2}
.quartiles{fill:var(--pale)}.dot{fill:var(--soft);opacity:.75}.median{fill:var(--main);stroke:var(--card);stroke-width:1.5}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;text-align:right;border-bottom:1px solid var(--edge);white-space:nowrap}
th{color:var(--soft);font-weight:600}tr.chosen td{font-weight:700}td.text,th.text{text-align:left;white-space:normal;min-width:9em}
.stack{display:flex;height:30px;border-radius:8px;overflow:hidden;margin:8px 0 12px}.stack span{min-width:2px}
.key{display:inline-block;width:.8em;height:.8em;border-radius:3px;margin-right:.5em}
.s0{background:var(--s0)}.s1{background:var(--s1)}.s2{background:var(--s2)}.s3{background:var(--s3)}.s4{background:var(--s4)}
.if{border-top:1px solid var(--edge);padding:12px 0}.if:first-of-type{border-top:0;padding-top:0}.if h3{font-size:.98rem;margin:0 0 .3em}
.rows{display:grid;grid-template-columns:max-content 1fr max-content;gap:4px 10px;align-items:center;font-size:.92rem}
.rows i{display:block;height:14px;border-radius:4px;background:var(--pale)}.rows i.hit{background:var(--main)}.rows b{text-align:right}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:0;font-size:.92rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
details{margin-top:10px}summary{cursor:pointer;color:var(--soft)}
</style></head><body><main>
)";

std::string signed_percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

std::string bytes_in_words(double bytes) {
  for (const auto& [unit, size] : {std::pair{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}}) {
    if (bytes >= size) return fmt::format("{} {}", in_words(bytes / size), unit);
  }
  return fmt::format("{} bytes", in_words(bytes));
}

std::string verdict(const SweepResult& result) {
  const SweepRun& best = result.recommended();
  std::string html = R"(<section class="card verdict">)";
  html +=
      fmt::format(R"(<div><div class="number">{}</div></div><div><p><b>{} recommended</b>: {} samples/s</p>)",
                  best.num_workers, best.num_workers == 1 ? "worker" : "workers",
                  in_words(best.samples_per_second.median));
  if (result.trusted) {
    html += R"(<p><span class="badge good">reliable</span></p>)";
  } else {
    html += R"(<p><span class="badge bad">not to be relied on</span></p><ul>)";
    for (const std::string& doubt : result.doubts) html += fmt::format("<li>{}</li>", escape_html(doubt));
    html += "</ul>";
  }
  return html +
         "<p class=\"soft\">No larger number is faster by more than 5 % and by more than the spread of the "
         "rounds.</p></div></section>\n";
}

std::string figure_card(const Chart& chart, std::string_view title, std::string_view caption) {
  return fmt::format("<section class=\"card\"><h2>{}</h2>{}<p class=\"soft\">{}</p></section>\n", title,
                     to_svg(chart), caption);
}

template <class Value>
Chart chart_of(const SweepResult& result, const char* title, const char* unit, Value&& value) {
  Chart chart{.title = title, .unit = unit, .points = {}};
  for (const SweepRun& run : result.runs) {
    chart.points.push_back({.label = std::to_string(run.num_workers),
                            .value = value(run),
                            .emphasized = run.num_workers == result.recommended_num_workers});
  }
  return chart;
}

std::string charts(const SweepResult& result) {
  Chart speed = chart_of(result, "samples per second for each number of workers", "samples/s",
                         [](const SweepRun& run) { return run.samples_per_second; });
  speed.is_line = true;
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    for (const SweepRound& round : result.runs[i].rounds)
      speed.points[i].figures.push_back(round.samples_per_second());
  }
  if (const double limit = cpu_limit(result); limit > 0) {
    speed.limit = limit;
    speed.limit_label =
        fmt::format("limit of {} CPUs: {}", in_words(result.machine.usable_cpus), in_words(limit));
  }
  const Chart first = chart_of(result, "time of the first batch for each number of workers", "ms",
                               [](const SweepRun& run) { return run.first_batch_ms; });
  const Chart memory =
      chart_of(result, "peak memory for each number of workers", "MiB", [](const SweepRun& run) {
        const double mib = static_cast<double>(run.peak_memory_bytes) / kMib;
        return Distribution{mib, mib, mib, mib, mib};
      });
  return figure_card(speed, "Throughput",
                     "Median of the rounds (line), quartiles (boxes), each round (dots). The dashed line is "
                     "what the CPUs allow if they do nothing but load.") +
         "<div class=\"cards\">" +
         figure_card(first, "First batch",
                     "Time of the first call of next(), workers being up: median, lowest and highest.") +
         figure_card(memory, "Memory",
                     "Greatest sum over the program and its workers; shared pages count once.") +
         "</div>\n";
}

std::string table(const SweepResult& result) {
  std::string html =
      "<section class=\"card\"><h2>All figures</h2><div "
      "class=\"scroll\"><table><tr><th>workers</th><th>samples/s</th>"
      "<th>spread</th><th>first batch, ms</th><th>CPU</th><th>others</th><th>waiting</th><th>CPU s/1000</th>"
      "<th>memory, MiB</th><th>reliable</th></tr>\n";
  for (const SweepRun& run : result.runs) {
    html += fmt::format(
        "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</"
        "td><td>{}</td>"
        "<td><span class=\"badge {}</span></td></tr>\n",
        run.num_workers == result.recommended_num_workers ? " class=\"chosen\"" : "", run.num_workers,
        in_words(run.samples_per_second.median), percent(run.samples_per_second.relative_spread()),
        in_words(run.first_batch_ms.median), percent(run.cpu_share), percent(run.others_share),
        percent(run.cpu_pressure), fmt::format("{:.2f}", run.cpu_seconds_per_1000_samples),
        in_words(static_cast<double>(run.peak_memory_bytes) / kMib), run.trusted ? "good\">yes" : "bad\">no");
  }
  return html +
         fmt::format(
             "</table></div><p class=\"soft\">Medians of {} rounds. Spread: between the quartiles, of the "
             "median (limit {}). CPU: used by the loader, of the {} CPUs that may be used. Others: used by "
             "other programs meanwhile (limit {}). Waiting: time in which some process of the machine, ours "
             "too, waited for a CPU. ?: the kernel does not tell.</p></section>\n",
             result.runs.front().rounds.size(), percent(result.limits.spread),
             in_words(result.machine.usable_cpus), percent(result.limits.others_share));
}

std::string costs(const std::vector<SampleCost>& parts) {
  if (parts.empty()) return "";
  double sum = 0;
  for (const SampleCost& part : parts) sum += part.microseconds;
  if (sum <= 0) return "";
  std::string bar, rows;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double share = parts[i].microseconds / sum;
    bar += fmt::format(R"(<span class="s{}" style="flex:{:.4f}" title="{}"></span>)", i % 5, share,
                       escape_html(parts[i].step));
    rows += fmt::format(
        R"(<tr><td class="text"><span class="key s{}"></span>{}<br><small class="soft">{}</small></td><td>{} µs</td><td>{}</td></tr>)",
        i % 5, escape_html(parts[i].step), escape_html(parts[i].meaning), in_words(parts[i].microseconds),
        percent(share));
  }
  return fmt::format(
      "<section class=\"card\"><h2>Where a sample's time goes</h2><div class=\"stack\">{}</div><div "
      "class=\"scroll\"><table>{}</table></div><p class=\"soft\">CPU time of one thread, {} µs in all; the "
      "data are in "
      "memory.</p></section>\n",
      bar, rows, in_words(sum));
}

std::string bar_row(const char* name, double value, double largest, bool is_measured,
                    const std::string& words) {
  return fmt::format(R"(<span>{}</span><i class="{}" style="width:{:.1f}%"></i><b>{}</b>)", name,
                     is_measured ? "hit" : "", 100 * value / largest, words);
}

std::string one_what_if(const WhatIf& what_if) {
  const double largest =
      std::max({what_if.now, what_if.predicted, what_if.measured ? what_if.measured->median : 0, 1e-9});
  const auto words = [&](double value) {
    const double times = what_if.now > 0 ? value / what_if.now : 1;
    return fmt::format("{} ({})", in_words(value),
                       times < 3 ? signed_percent(times - 1) : in_words(times) + " times");
  };
  std::string html =
      fmt::format("<div class=\"if\"><h3>{}</h3><div class=\"rows\">", escape_html(what_if.change));
  html += bar_row("now", what_if.now, largest, false, in_words(what_if.now));
  html += bar_row("predicted", what_if.predicted, largest, false, words(what_if.predicted));
  if (what_if.measured)
    html += bar_row("measured", what_if.measured->median, largest, true, words(what_if.measured->median));
  html += fmt::format("</div><p class=\"soft\">{}", escape_html(what_if.meaning));
  if (const auto off = deviation(what_if)) {
    html += fmt::format(" Checked by a run: {:.1f} % {} than predicted.{}", 100 * std::abs(*off),
                        *off < 0 ? "less" : "more",
                        what_if.trusted ? "" : " <span class=\"badge bad\">not to be relied on</span>");
  } else {
    html += " Not checked by a run.";
  }
  return html + "</p></div>\n";
}

std::string what_ifs(const std::vector<WhatIf>& list) {
  if (list.empty()) return "";
  std::string html = "<section class=\"card\"><h2>What if</h2>\n";
  for (const WhatIf& what_if : list) html += one_what_if(what_if);
  return html +
         "<p class=\"soft\">Samples per second, with the recommended number of workers.</p></section>\n";
}

std::string rounds_table(const SweepResult& result) {
  std::string html =
      "<details><summary>Each round</summary><div class=\"scroll\"><table><tr><th>round</th><th>workers</th>"
      "<th>samples/s</th><th>first batch, ms</th><th>CPU</th><th>others</th><th>waiting</th></tr>\n";
  for (const SweepRun& run : result.runs) {
    for (const SweepRound& round : run.rounds) {
      html += fmt::format(
          "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          round.round + 1, round.num_workers, in_words(round.samples_per_second()),
          in_words(round.first_batch_ms), percent(round.cpu_share), percent(round.others_share),
          percent(round.cpu_pressure));
    }
  }
  return html + "</table></div></details>";
}

std::string conditions(const SweepResult& result) {
  std::string rows;
  const auto add = [&](std::string_view name, std::string_view value) {
    rows += fmt::format("<dt>{}</dt><dd>{}</dd>", escape_html(name), escape_html(value));
  };
  add("data", result.data.what.empty() ? "a program's own loader" : result.data.what);
  add("samples", in_words(static_cast<double>(result.data.samples)));
  if (result.data.stored_bytes) add("stored", bytes_in_words(static_cast<double>(*result.data.stored_bytes)));
  add("a sample in a batch", bytes_in_words(static_cast<double>(result.data.bytes_per_sample)));
  if (result.data.batch_size > 0) add("batch size", std::to_string(result.data.batch_size));
  for (const auto& [name, value] : result.data.settings) add(name, value);
  add("CPUs", fmt::format("{} usable of {}{}{}", in_words(result.machine.usable_cpus), result.machine.cpus,
                          result.machine.cpu_model.empty() ? "" : ", ", result.machine.cpu_model));
  add("memory", bytes_in_words(static_cast<double>(result.machine.memory_bytes)));
  add("measured", fmt::format("{} rounds of {} s for each number of workers",
                              result.runs.front().rounds.size(), in_words(result.seconds_per_round)));
  add("leat", LEAT_VERSION);
  return fmt::format("<section class=\"card\"><h2>How it was measured</h2><dl>{}</dl>{}</section>\n", rows,
                     rounds_table(result));
}

}  // namespace

double cpu_limit(const SweepResult& result) {
  if (result.runs.empty()) throw ArgumentError("a sweep without runs has no limit");
  const double cost =
      std::ranges::min(result.runs, {}, &SweepRun::cpu_seconds_per_1000_samples).cpu_seconds_per_1000_samples;
  return cost <= 0 ? 0 : result.machine.usable_cpus * 1000 / cost;
}

std::optional<double> deviation(const WhatIf& what_if) {
  if (!what_if.measured || what_if.predicted <= 0) return std::nullopt;
  return what_if.measured->median / what_if.predicted - 1;
}

std::string to_html(const SweepResult& result, const SweepPageParts& parts) {
  if (result.runs.empty()) throw ArgumentError("a sweep without runs makes no page");
  std::string html(kHead);
  html += fmt::format("<p class=\"soft\">leat-sweep: how many workers?</p><h1>{}</h1>\n",
                      escape_html(result.data.what.empty() ? "a program's own loader" : result.data.what));
  html += verdict(result) + charts(result) + table(result) + costs(parts.costs) + what_ifs(parts.what_if) +
          conditions(result);
  return html + "</main></body></html>\n";
}

}  // namespace leat
