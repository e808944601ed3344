#include "leat/parallel/reduce/bucket_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

BucketSchedule::BucketSchedule(std::vector<std::size_t> bucket_of)
    : bucket_of_(std::move(bucket_of)), ready_(bucket_of_.size(), false) {
  const auto last = std::max_element(bucket_of_.begin(), bucket_of_.end());
  sizes_.assign(last == bucket_of_.end() ? 0 : *last + 1, 0);
  for (const std::size_t bucket : bucket_of_) ++sizes_[bucket];
  outstanding_ = sizes_;
  order_.reserve(bucket_of_.size());
}

BucketSchedule::Launch BucketSchedule::mark_ready(std::size_t i) {
  if (i >= bucket_of_.size()) {
    throw ArgumentError(fmt::format("gradient {} does not exist; there are {}", i, bucket_of_.size()));
  }
  if (ready_[i]) throw ArgumentError(fmt::format("gradient {} was ready before in this backward pass", i));
  ready_[i] = true;
  order_.push_back(i);
  --outstanding_[bucket_of_[i]];
  const std::size_t first = launched_;
  while (launched_ < outstanding_.size() && outstanding_[launched_] == 0) ++launched_;
  return {first, launched_};
}

std::vector<std::size_t> BucketSchedule::missing() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (!ready_[i]) list.push_back(i);
  }
  return list;
}

void BucketSchedule::reset() {
  outstanding_ = sizes_;
  std::fill(ready_.begin(), ready_.end(), false);
  order_.clear();
  launched_ = 0;
}

}  // namespace leat::detail
