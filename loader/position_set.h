// Which positions of an epoch's order were consumed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace leat {

/// A set of positions, stored as intervals: its memory grows with the number of gaps, not with the number of
/// positions. A plain value; not thread-safe.
class PositionSet {
 public:
  /// The positions from `first` on, below `last`.
  struct Interval {
    std::size_t first = 0;
    std::size_t last = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  PositionSet() = default;
  /// Throws ArgumentError if an interval is empty, or does not begin behind the end of the one before.
  explicit PositionSet(std::vector<Interval> intervals);
  PositionSet(std::initializer_list<Interval> intervals) : PositionSet(std::vector<Interval>(intervals)) {}
  /// The positions 0, ..., end - 1.
  static PositionSet below(std::size_t end);

  bool empty() const noexcept { return intervals_.empty(); }
  std::size_t size() const noexcept;  // positions in the set
  std::size_t end() const noexcept;   // 1 + the largest position; 0 for the empty set

  /// Adds the positions of `added`; those that are in the set already stay.
  void insert(Interval added);

  /// Adds missing(i), as it is now, for each i in `gaps`.
  void insert_missing(const PositionSet& gaps);

  /// Throws ArgumentError if one of them is not below `positions`.
  void require_below(std::size_t positions) const;

  /// The position that `gap` others precede which are not in the set either.
  std::size_t missing(std::size_t gap) const noexcept;

  /// The positions missing(first), ..., missing(last - 1), as intervals.
  std::vector<Interval> missing(Interval gaps) const;

  /// Ascending and disjoint; no two of them touch.
  const std::vector<Interval>& intervals() const noexcept { return intervals_; }

  friend bool operator==(const PositionSet&, const PositionSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace leat
