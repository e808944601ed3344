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
  std::vector<double> figures = {};  // single ones, drawn as dots
  bool emphasized = false;
};

struct Chart {
  std::string title;  // for those who hear the page
  std::string unit;   // above the axis
  std::vector<ChartPoint> points;
  bool is_line = false;                        // points joined by a line; otherwise bars
  std::optional<double> limit = std::nullopt;  // a dashed line
  std::string limit_label = {};
};

/// An <svg> element. Its colors are classes of the page's style. Throws ArgumentError if there are no points.
std::string to_svg(const Chart& chart);

/// The marks of an axis from 0 that holds `largest`: rising, three to six of them, at multiples of 1, 2 or 5 times a
/// power of ten.
std::vector<double> axis_marks(double largest);

/// "1,234,567", "12.3", "0.045": with separators, and at least two digits that say something.
std::string in_words(double value);

/// The same in few letters, for charts: "123 k", "1.23 M".
std::string in_short(double value);

/// "12 %"; "?" if there is no share. Shares are fractions.
std::string percent(const std::optional<double>& share);

inline constexpr double kMib = 1 << 20;  // bytes

/// For use in HTML text and in attributes with quotes.
std::string escape_html(std::string_view text);

}  // namespace leat::detail
