/// \file
/// Sets of positions, such as those of an epoch's order that were consumed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "leat/datasets/export.h"

namespace leat {

/// A set of positions, stored as intervals: its memory grows with the number of gaps, not with the number of positions.
/// A plain value; not thread-safe.
class LEAT_EXPORT PositionSet {
 public:
  /// A range of positions.
  struct Interval {
    std::size_t first = 0;  ///< the first position
    std::size_t last = 0;   ///< the position behind the last
    /// Compares both ends.
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  /// Makes an empty set.
  PositionSet() = default;
  /// Makes a set of ascending intervals. Throws ArgumentError if an interval is empty, or does not begin behind the end
  /// of the one before.
  explicit PositionSet(std::vector<Interval> intervals);
  /// Makes a set of ascending intervals, on the same terms.
  PositionSet(std::initializer_list<Interval> intervals) : PositionSet(std::vector<Interval>(intervals)) {}
  /// Returns the positions 0, ..., end - 1.
  static PositionSet below(std::size_t end);

  bool empty() const noexcept { return intervals_.empty(); }  ///< whether it holds no position
  std::size_t size() const noexcept;                          ///< number of positions in the set
  std::size_t end() const noexcept;  ///< 1 + the greatest position; 0 for the empty set

  /// Adds the positions of an interval; they may be in the set already.
  void insert(Interval added);

  /// Adds missing(i), as it is now, for each i in `gaps`.
  void insert_missing(const PositionSet& gaps);

  /// Throws ArgumentError if a position in the set is not below `positions`.
  void require_below(std::size_t positions) const;

  /// Returns the position outside the set that is preceded by `gap` others outside the set.
  std::size_t missing(std::size_t gap) const noexcept;

  /// Returns the positions missing(first), ..., missing(last - 1), as intervals.
  std::vector<Interval> missing(Interval gaps) const;

  /// Returns the intervals, ascending and disjoint, of which no two touch.
  const std::vector<Interval>& intervals() const noexcept { return intervals_; }

  /// Compares the positions.
  friend bool operator==(const PositionSet&, const PositionSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace leat
