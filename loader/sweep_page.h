/// \file
/// The result of a sweep as a page for a browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/loader/sweep_result.h"

namespace leat {

/// The cost of one step in loading a sample, in CPU time of one thread.
struct LEAT_EXPORT SampleCost {
  std::string step;         ///< "decode"
  std::string meaning;      ///< one line
  double microseconds = 0;  ///< per sample
};

/// The throughput that some change would have.
struct LEAT_EXPORT WhatIf {
  std::string change;    ///< "leat records instead of files"
  std::string meaning;   ///< how it was predicted and, if it was, measured
  double now = 0;        ///< samples per second
  double predicted = 0;  ///< samples per second
  /// Samples per second, if the prediction was checked by a run.
  std::optional<Distribution> measured = std::nullopt;
  bool trusted = true;  ///< whether that run can be relied on
};

/// What a page shows beside the result.
struct LEAT_EXPORT SweepPageParts {
  std::vector<SampleCost> costs = {};  ///< in the order of the steps
  std::vector<WhatIf> what_if = {};    ///< in the order in which they are shown
};

/// Returns a whole HTML document: self-contained, without scripts, in light and dark, for screens from 320 pixels. Text
/// of the result is escaped. Throws ArgumentError if the result has no runs.
LEAT_EXPORT std::string to_html(const SweepResult& result, const SweepPageParts& parts = {});

/// Returns the throughput, in samples per second, at which all usable CPUs do nothing but load, at the lowest cost of a
/// sample that was seen; 0 if no CPU time was counted. Throws ArgumentError if the result has no runs.
LEAT_EXPORT double cpu_limit(const SweepResult& result);

/// Returns how far the measured throughput is from the prediction, as a fraction of it: 0.05 is 5 % more. Returns
/// nullopt if it was not measured.
LEAT_EXPORT std::optional<double> deviation(const WhatIf& what_if);

}  // namespace leat
