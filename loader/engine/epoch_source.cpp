#include "leat/loader/engine/epoch_source.h"

#include "leat/loader/engine/restorable_state.h"

namespace leat::detail {

EpochStart EpochSource::from_beginning(std::uint64_t epoch) const {
  return {.epoch = epoch, .batches = order(), .earlier = {}, .done = {}, .dataset_size = dataset_.size()};
}

EpochStart EpochSource::from(const LoaderState& state) const {
  EpochStart start = from_beginning(state.epoch);
  const std::shared_ptr<const BatchSampler> order = start.batches;
  require_restorable(state, {*order, options_.seed, start.dataset_size});
  if (same_division(state, *order)) {
    start.earlier = state.earlier;
    start.done = DeliveryLog(state.batches, state.samples, state.ahead);
  } else {
    std::size_t batches = state.batches, samples = state.samples;
    for (const auto& [number, rows] : state.ahead) {
      ++batches;
      samples += rows;
    }
    start.earlier = {consumed_positions(state, *order), batches, samples};
    start.done = DeliveryLog(batches, samples, {});
  }
  if (!start.earlier.consumed.empty()) start.batches = order->remaining(state.epoch, start.earlier.consumed);
  return start;
}

LoaderState EpochSource::state(std::uint64_t epoch, const LoaderState::Earlier& earlier,
                               const DeliveryLog& done) const {
  const std::shared_ptr<const BatchSampler> order = this->order();
  return {.epoch = epoch,
          .batches = done.batches(),
          .samples = done.samples(),
          .ahead = done.ahead(),
          .earlier = earlier,
          .order = fingerprint(epoch, *order),
          .seed = options_.seed,
          .dataset_size = dataset_.size(),
          .world_size = order->world_size(),
          .rank = order->rank(),
          .batch_size = order->batch_size().value_or(0)};
}

const std::string& EpochSource::fingerprint(std::uint64_t epoch, const BatchSampler& order) const {
  if (fingerprint_epoch_ != epoch) {
    fingerprint_ = order.fingerprint();
    fingerprint_epoch_ = epoch;
  }
  return fingerprint_;
}

std::shared_ptr<const BatchSampler> EpochSource::order() const {
  if (options_.batch_sampler) return options_.batch_sampler;
  return std::make_shared<FixedSizeBatchSampler>(sampler(), resolved_.batch_size, options_.drop_last);
}

std::shared_ptr<const Sampler> EpochSource::sampler() const {
  if (options_.sampler) return options_.sampler;
  if (options_.shuffle) return std::make_shared<RandomSampler>(dataset_.size(), options_.seed);
  return std::make_shared<SequentialSampler>(dataset_.size());
}

}  // namespace leat::detail
