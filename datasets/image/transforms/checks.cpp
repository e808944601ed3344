#include "leat/datasets/image/transforms/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "leat/datasets/errors.h"

namespace leat::detail {

void require_extents(const char* transform, Size size) {
  if (size.width < 1 || size.height < 1) {
    throw ArgumentError(fmt::format("{} to {} pixels: extents are at least 1", transform, to_string(size)));
  }
}

void require_probability(const char* transform, double p) {
  require_within(transform, "p", p, 0, 1);
}

void require_within(const char* transform, const char* name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    throw ArgumentError(fmt::format("{}: {} is {}, not in [{}, {}]", transform, name, value, least, most));
  }
}

void require_positive(const char* transform, const char* name, Interval interval) {
  if (!(interval.low > 0 && interval.low <= interval.high && std::isfinite(interval.high))) {
    throw ArgumentError(fmt::format("{}: {} [{}, {}] is no interval of positive numbers", transform, name,
                                    interval.low, interval.high));
  }
}

void require_within(const char* transform, const char* name, Interval interval, double least, double most) {
  if (!(interval.low >= least && interval.low <= interval.high && interval.high <= most)) {
    throw ArgumentError(fmt::format("{}: {} [{}, {}] is no interval within [{}, {}]", transform, name,
                                    interval.low, interval.high, least, most));
  }
}

}  // namespace leat::detail
