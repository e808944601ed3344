#include "leat/loader/position_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

PositionSet::PositionSet(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const auto [first, last] = intervals_[i];
    if (first < last && (i == 0 || first > intervals_[i - 1].last)) continue;
    throw ArgumentError(
        fmt::format("[{}, {}) is not an interval of positions that begins behind the end of the one before",
                    first, last));
  }
}

PositionSet PositionSet::below(std::size_t end) {
  PositionSet positions;
  positions.insert({0, end});
  return positions;
}

std::size_t PositionSet::size() const noexcept {
  std::size_t size = 0;
  for (const Interval& interval : intervals_) size += interval.last - interval.first;
  return size;
}

std::size_t PositionSet::end() const noexcept {
  return intervals_.empty() ? 0 : intervals_.back().last;
}

void PositionSet::insert_missing(const PositionSet& gaps) {
  const PositionSet before = *this;
  for (const Interval& part : gaps.intervals_) {
    for (const Interval& interval : before.missing(part)) insert(interval);
  }
}

void PositionSet::require_below(std::size_t positions) const {
  if (end() <= positions) return;
  throw ArgumentError(
      fmt::format("position {} was consumed, but the order has {} positions", end() - 1, positions));
}

void PositionSet::insert(Interval added) {
  if (added.first >= added.last) return;
  const auto touches = [&](const Interval& interval) {
    return interval.first <= added.last && interval.last >= added.first;
  };
  const auto from = std::find_if(intervals_.begin(), intervals_.end(),
                                 [&](const Interval& interval) { return interval.last >= added.first; });
  auto to = from;
  for (; to != intervals_.end() && touches(*to); ++to) {
    added = {std::min(added.first, to->first), std::max(added.last, to->last)};
  }
  intervals_.insert(intervals_.erase(from, to), added);
}

std::size_t PositionSet::missing(std::size_t gap) const noexcept {
  std::size_t position = gap;
  for (const Interval& interval : intervals_) {
    if (position < interval.first) break;
    position += interval.last - interval.first;
  }
  return position;
}

std::vector<PositionSet::Interval> PositionSet::missing(Interval gaps) const {
  std::vector<Interval> found;
  std::size_t left = gaps.first < gaps.last ? gaps.last - gaps.first : 0;
  std::size_t position = missing(gaps.first);
  auto next = std::find_if(intervals_.begin(), intervals_.end(),
                           [&](const Interval& interval) { return interval.first > position; });
  while (left > 0) {
    const std::size_t room = next == intervals_.end() ? left : std::min(left, next->first - position);
    found.push_back({position, position + room});
    left -= room;
    if (left > 0) position = (next++)->last;
  }
  return found;
}

}  // namespace leat
