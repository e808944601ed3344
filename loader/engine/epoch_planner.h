// EpochPlanner: asks the sampler which samples make up each batch of an epoch. Plain code: no threads, no shared
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "leat/loader/batch_sampler.h"
#include "leat/loader/engine/delivery_log.h"
#include "leat/loader/loader_state.h"

namespace leat::detail {

// The start of an epoch: at its beginning, or where a saved state was taken.
struct EpochStart {
  std::uint64_t epoch = 0;
  std::shared_ptr<const BatchSampler> batches;  // shared with the user; the batches that `earlier` leaves
  LoaderState::Earlier earlier;                 // the first of `batches` has the number earlier.batches
  DeliveryLog done;                             // batches not to plan again; includes `earlier`
  std::size_t dataset_size = 0;                 // bounds the indices
};

// Plans the batches of an epoch one after the other, each batch once. plan_ahead() plans the next one early.
class EpochPlanner {
 public:
  explicit EpochPlanner(std::size_t capacity) : capacity_(capacity) {}  // greatest size of a batch

  void begin(EpochStart start);  // throws what the sampler throws
  void end() noexcept { number_ = end_; }

  std::uint64_t epoch() const noexcept { return start_.epoch; }
  bool at_end() const noexcept { return number_ >= end_; }
  std::size_t batches() const noexcept { return end_; }  // of the epoch, delivered ones included
  const LoaderState::Earlier& earlier() const noexcept { return start_.earlier; }
  std::size_t number() const noexcept { return number_; }    // number of the next batch
  std::size_t samples() const noexcept { return samples_; }  // samples of the batches planned before it

  // Returns the dataset's indices of batch number(). Throws what the sampler throws, and ArgumentError for a batch
  // that is empty, too large, or contains samples that do not exist. Precondition: not at_end().
  const std::vector<std::uint64_t>& indices();
  void plan_ahead() noexcept;  // plans batch number() for indices(); after an error, indices() tries again
  void advance();              // precondition: indices() returned

 private:
  void skip_done();

  const std::size_t capacity_;
  EpochStart start_;
  std::size_t end_ = 0;  // one more than the number of the last batch
  std::size_t number_ = 0;
  std::size_t samples_ = 0;
  std::vector<std::uint64_t> indices_;
  bool planned_ = false;  // whether indices_ holds those of batch number_
};

}  // namespace leat::detail
