#include "loader/samplers/batch_sampler.h"

#include <fmt/format.h>

#include <utility>

#include "loader/base/errors.h"

namespace leat {

void BatchSampler::require_number(std::uint64_t epoch, std::size_t number, std::size_t batches) {
  if (number < batches) return;
  throw ArgumentError(
      fmt::format("batch {} was asked for, but epoch {} has {} batches, from 0 on", number, epoch, batches));
}

SampledBatches::SampledBatches(std::shared_ptr<const Sampler> sampler, std::size_t batch_size, bool drop_last)
    : sampler_(std::move(sampler)), batch_size_(batch_size), drop_last_(drop_last) {
  if (!sampler_) throw ArgumentError("batches need a sampler, but the pointer to it is null");
  if (batch_size == 0) throw ArgumentError("batch_size is 0; a batch has at least 1 row");
}

std::size_t SampledBatches::size(std::uint64_t) const {
  return plan().batches();
}

void SampledBatches::batch(std::uint64_t epoch, std::size_t number, std::vector<std::uint64_t>& out) const {
  const EpochPlan cut = plan();
  require_number(epoch, number, cut.batches());
  out.resize(cut.rows(number));
  sampler_->indices(epoch, cut.first(number), out);
}

}  // namespace leat
