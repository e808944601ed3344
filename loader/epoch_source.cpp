#include "loader/epoch_source.h"

#include <fmt/format.h>

#include <utility>

#include "loader/base/checked.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw ArgumentError("the state cannot be restored here: " + why);
}

template <class T>
void require_equal(const char* what, const T& saved, const T& here) {
  if (saved != here) refuse(fmt::format("its {} is {}, this loader's {}", what, saved, here));
}

}  // namespace

EpochStart EpochSource::from_beginning(std::uint64_t epoch) const {
  return {.epoch = epoch,
          .batches = batch_sampler(),
          .first_number = 0,
          .done = {},
          .dataset_size = dataset_.size()};
}

EpochStart EpochSource::from(const LoaderState& state) const {
  check(state);
  const DeliveryLog done(state.batches, state.samples, state.ahead);
  EpochStart start = from_beginning(state.epoch);
  const std::size_t world_size = options_.batch_sampler ? state.world_size : sampler()->world_size();
  if (state.world_size == world_size && state.batch_size == resolved_.batch_size) {
    start.done = done;
    return start;
  }
  if (options_.batch_sampler)
    refuse("it is of batches of another size, and a batch sampler cannot cut them anew");
  if (!state.ahead.empty()) {
    refuse(
        "it was taken out of order, so what remains is no tail of the epoch; that needs the world size and "
        "batch "
        "size it was taken with");
  }
  const std::size_t consumed = checked_multiply(state.samples, state.world_size);
  start.batches = std::make_shared<SampledBatches>(sampler()->remaining(state.epoch, consumed),
                                                   resolved_.batch_size, resolved_.drop_last);
  start.first_number = state.batches;
  start.done = done;
  return start;
}

LoaderState EpochSource::state(std::uint64_t epoch, const DeliveryLog& done) const {
  return {.epoch = epoch,
          .batches = done.batches(),
          .samples = done.samples(),
          .ahead = done.ahead(),
          .order = order(),
          .seed = resolved_.seed,
          .dataset_size = dataset_.size(),
          .world_size = options_.batch_sampler ? 1 : sampler()->world_size(),
          .batch_size = resolved_.batch_size};
}

void EpochSource::check(const LoaderState& state) const {
  require_equal("order", state.order, std::string(order()));
  require_equal("seed", state.seed, resolved_.seed);
  require_equal("dataset size", state.dataset_size, dataset_.size());
  if (state.world_size == 0 || state.batch_size == 0) refuse("its world size or batch size is 0");
}

std::shared_ptr<const Sampler> EpochSource::sampler() const {
  if (options_.sampler) return options_.sampler;
  if (options_.shuffle) return std::make_shared<RandomSampler>(dataset_.size(), resolved_.seed);
  return std::make_shared<SequentialSampler>(dataset_.size());
}

std::shared_ptr<const BatchSampler> EpochSource::batch_sampler() const {
  if (options_.batch_sampler) return options_.batch_sampler;
  return std::make_shared<SampledBatches>(sampler(), resolved_.batch_size, resolved_.drop_last);
}

const char* EpochSource::order() const {
  if (options_.batch_sampler) return "batch_sampler";
  if (options_.sampler) return "sampler";
  return options_.shuffle ? "shuffled" : "sequential";
}

}  // namespace leat
