#include "tests/cuda_fake/clock.h"

#include <algorithm>

namespace leat::cuda_fake {

bool Clock::includes(std::uint64_t queue, std::uint64_t number) const {
  const auto found = counts_.find(queue);
  return found != counts_.end() && found->second >= number;
}

void Clock::add(std::uint64_t queue, std::uint64_t number) {
  std::uint64_t& count = counts_[queue];
  count = std::max(count, number);
}

void Clock::join(const Clock& other) {
  if (counts_.empty()) {
    counts_ = other.counts_;
    return;
  }
  for (const auto& [queue, number] : other.counts_) add(queue, number);
}

void Clock::drop(const Clock& known) {
  std::erase_if(counts_, [&](const auto& count) { return known.includes(count.first, count.second); });
}

}  // namespace leat::cuda_fake
