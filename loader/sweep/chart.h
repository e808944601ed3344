// Charts as inline SVG: one value for each number of workers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leat/loader/sweep_result.h"

namespace leat::detail {

struct ChartPoint {
  std::string label;  // below the axis
  Distribution value = {};
  std::vector<double> figures = {};  // single figures, drawn as dots
  bool emphasized = false;
};

struct Chart {
  std::string title;  // for screen readers
  std::string unit;   // above the axis
  std::vector<ChartPoint> points;
  bool is_line = false;                        // points joined by a line; otherwise bars
  std::optional<double> limit = std::nullopt;  // a dashed line
  std::string limit_label = {};
};

/// Returns an <svg> element. Its colors are classes of the page's style. Throws ArgumentError if there are no points.
std::string to_svg(const Chart& chart);

/// Returns the marks of an axis that starts at 0 and includes `largest`: three to six marks, ascending, at multiples
/// of 1, 2 or 5 times a power of ten. Returns 0 and 1 if `largest` is not above 0.
std::vector<double> axis_marks(double largest);

/// Returns a number as text, with thousands separators, and with one to three decimals if it is small: "1,234,567",
/// "12.3", "0.045". Zeros at the end of the decimals are left out.
std::string in_words(double value);

/// Returns the same in a short form, for charts: "123 k", "1.23 M".
std::string in_short(double value);

/// Returns a share, which is a fraction, as text: "12 %"; "?" if there is no share.
std::string percent(const std::optional<double>& share);

inline constexpr double kMib = 1 << 20;  // bytes

/// Escapes text for use in HTML text and in quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace leat::detail
