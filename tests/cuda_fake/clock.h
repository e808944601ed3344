// Vector clocks: what has happened before what.
#pragma once

#include <cstdint>
#include <map>

namespace leat::cuda_fake {

// Counts, for each queue, how many of its nodes have happened before. Mattern, "Virtual Time and Global States of
// Distributed Systems", 1989. Not thread-safe.
class Clock {
 public:
  bool includes(std::uint64_t queue, std::uint64_t number) const;
  void add(std::uint64_t queue, std::uint64_t number);
  void join(const Clock& other);
  // Drops what `known` includes as well.
  void drop(const Clock& known);

 private:
  std::map<std::uint64_t, std::uint64_t> counts_;
};

}  // namespace leat::cuda_fake
