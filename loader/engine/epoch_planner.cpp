#include "leat/loader/engine/epoch_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

void EpochPlanner::begin(EpochStart start) {
  start_ = std::move(start);
  planned_ = false;
  samples_ = start_.done.samples();
  number_ = start_.done.batches();
  end_ = number_;
  end_ = start_.earlier.batches + start_.batches->size(start_.epoch);
  skip_done();
}

void EpochPlanner::skip_done() {
  while (number_ < end_ && start_.done.was_delivered(number_)) ++number_;
}

const std::vector<std::uint64_t>& EpochPlanner::indices() {
  if (planned_) return indices_;
  start_.batches->batch(start_.epoch, number_ - start_.earlier.batches, indices_);
  if (indices_.empty() || indices_.size() > capacity_) {
    throw ArgumentError(fmt::format("the batch sampler gave batch {} with {} samples; it must be in [1, {}]",
                                    number_, indices_.size(), capacity_));
  }
  const auto beyond = std::find_if(indices_.begin(), indices_.end(),
                                   [&](auto index) { return index >= start_.dataset_size; });
  if (beyond != indices_.end()) {
    throw ArgumentError(fmt::format("the sampler gave index {} in batch {}, but the dataset holds {} samples",
                                    *beyond, number_, start_.dataset_size));
  }
  planned_ = true;
  return indices_;
}

void EpochPlanner::plan_ahead() noexcept {
  try {
    if (!at_end()) indices();
  } catch (...) {
    planned_ = false;
  }
}

void EpochPlanner::advance() {
  samples_ += indices_.size();
  ++number_;
  planned_ = false;
  skip_done();
}

}  // namespace leat::detail
