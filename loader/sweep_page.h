// The result of a sweep as a page for a browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat {

/// One step on the way of a sample, in CPU time of one thread.
struct SampleCost {
  std::string step;     ///< "decode"
  std::string meaning;  ///< one line
  double microseconds = 0;
};

/// What some change would make of the throughput.
struct WhatIf {
  std::string change;   ///< "leat records instead of files"
  std::string meaning;  ///< how it was predicted and, if it was, measured
  double now = 0;       ///< samples per second
  double predicted = 0;
  std::optional<Distribution> measured =
      std::nullopt;     ///< samples per second, if the prediction was checked by a run
  bool trusted = true;  ///< whether that run can be relied on
};

/// What a page may show beside the result.
struct SweepPageParts {
  std::vector<SampleCost> costs = {};
  std::vector<WhatIf> what_if = {};
};

/// A whole HTML document: self-contained, without scripts, in light and dark, for screens from 320 pixels. Text of the
/// result is escaped. Throws ArgumentError if the result has no runs.
std::string to_html(const SweepResult& result, const SweepPageParts& parts = {});

/// The throughput at which all usable CPUs do nothing but load, at the lowest cost of a sample that was seen; 0 if no
/// CPU time was counted. Throws ArgumentError if the result has no runs.
double cpu_limit(const SweepResult& result);

/// How far the measured throughput is from the prediction, of the prediction: 0.05 is 5 % more. nullopt if it was not
/// measured.
std::optional<double> deviation(const WhatIf& what_if);

}  // namespace leat
