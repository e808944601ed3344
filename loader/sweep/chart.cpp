#include "leat/loader/sweep/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leat/datasets/errors.h"

namespace leat::detail {
namespace {

// Sizes in units of the image, which is scaled to the width of the page.
constexpr double kWidth = 440, kHeight = 270;
constexpr double kLeft = 58, kRight = 12, kTop = 30, kBottom = 44;
constexpr std::size_t kMaxLabels = 12;

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    if (chart.points.empty()) throw ArgumentError("a chart of no points was asked for");
    double largest = chart.limit.value_or(0);
    for (const ChartPoint& point : chart.points) largest = std::max(largest, point.value.highest);
    marks_ = axis_marks(largest);
  }

  std::string draw() {
    svg_ = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", kWidth, kHeight,
                       escape_html(chart_.title));
    draw_axes();
    if (chart_.limit) draw_limit();
    if (chart_.is_line) draw_line();
    for (std::size_t i = 0; i < chart_.points.size(); ++i) draw_point(i);
    return svg_ + "</svg>\n";
  }

 private:
  double x(std::size_t point) const {
    const double step = (kWidth - kLeft - kRight) / static_cast<double>(chart_.points.size());
    return kLeft + step * (static_cast<double>(point) + 0.5);
  }
  double y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * value / marks_.back();
  }
  double bar_width() const {
    return std::min(46.0, 0.6 * (kWidth - kLeft - kRight) / static_cast<double>(chart_.points.size()));
  }

  void line(const char* style, double x1, double y1, double x2, double y2) {
    svg_ += fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", style, x1,
                        y1, x2, y2);
  }
  void box(const char* style, double left, double width, double top, double bottom) {
    svg_ += fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="3"/>)",
                        style, left, top, width, std::max(bottom - top, 1.0));
  }
  void text(const char* style, const char* anchor, double at_x, double at_y, const std::string& words) {
    svg_ += fmt::format(R"(<text class="{}" text-anchor="{}" x="{:.1f}" y="{:.1f}">{}</text>)", style, anchor,
                        at_x, at_y, escape_html(words));
  }

  void draw_axes() {
    for (const double mark : marks_) {
      line("grid", kLeft, y(mark), kWidth - kRight, y(mark));
      text("axis", "end", kLeft - 7, y(mark) + 4, in_short(mark));
    }
    text("axis", "start", 4, 14, chart_.unit);
    const std::size_t step = (chart_.points.size() + kMaxLabels - 1) / kMaxLabels;
    for (std::size_t i = 0; i < chart_.points.size(); i += step) {
      text(chart_.points[i].emphasized ? "axis strong" : "axis", "middle", x(i), kHeight - kBottom + 19,
           chart_.points[i].label);
    }
    text("axis", "middle", (kLeft + kWidth - kRight) / 2, kHeight - 6, "workers");
  }

  void draw_limit() {
    line("limit", kLeft, y(*chart_.limit), kWidth - kRight, y(*chart_.limit));
    text("limit-label", "end", kWidth - kRight, y(*chart_.limit) - 6, chart_.limit_label);
  }

  void draw_line() {
    svg_ += R"(<polyline class="line" points=")";
    for (std::size_t i = 0; i < chart_.points.size(); ++i) {
      svg_ += fmt::format("{:.1f},{:.1f} ", x(i), y(chart_.points[i].value.median));
    }
    svg_ += R"("/>)";
  }

  void draw_point(std::size_t i) {
    const ChartPoint& point = chart_.points[i];
    const double width = bar_width(), left = x(i) - width / 2;
    const Distribution& value = point.value;
    if (!chart_.is_line) box(point.emphasized ? "bar chosen" : "bar", left, width, y(value.median), y(0));
    if (value.highest > value.lowest) {
      line("whisker", x(i), y(value.highest), x(i), y(value.lowest));
      if (chart_.is_line) box("quartiles", x(i) - 9, 18, y(value.upper_quartile), y(value.lower_quartile));
    }
    for (const double figure : point.figures) {
      svg_ += fmt::format(R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="2.2"/>)", x(i), y(figure));
    }
    if (chart_.is_line) {
      svg_ += fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>)",
                          point.emphasized ? "median chosen" : "median", x(i), y(value.median),
                          point.emphasized ? 6.5 : 4.5);
    }
    const double above =
        chart_.is_line ? y(value.highest) - 10 : y(std::max(value.median, value.highest)) - 6;
    text(point.emphasized ? "value strong" : "value", "middle", x(i), above, in_short(value.median));
  }

  const Chart& chart_;
  std::vector<double> marks_;
  std::string svg_;
};

}  // namespace

std::vector<double> axis_marks(double largest) {
  if (!(largest > 0)) return {0, 1};
  const double rough = largest / 4;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double multiple : {1.0, 2.0, 5.0}) {
    if (multiple * power >= rough * 0.999) {
      step = multiple * power;
      break;
    }
  }
  std::vector<double> marks{0};
  while (marks.back() < largest * 1.04) marks.push_back(step * static_cast<double>(marks.size()));
  return marks;
}

std::string in_words(double value) {
  if (!std::isfinite(value)) return "?";
  const double size = std::abs(value);
  if (size > 0 && size < 99.5) {
    const int digits = size >= 9.95 ? 1 : size >= 0.995 ? 2 : 3;
    std::string text = fmt::format("{:.{}f}", value, digits);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
  }
  std::string text = fmt::format("{:.0f}", value);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string in_short(double value) {
  if (value >= 999'500) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 99'950) return fmt::format("{:.3g} k", value / 1e3);
  return in_words(value);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "?";
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string to_svg(const Chart& chart) {
  return Drawing(chart).draw();
}

}  // namespace leat::detail
