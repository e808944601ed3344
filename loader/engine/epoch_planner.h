// Which samples make the next batch of an epoch. Plain code: no threads, no shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "leat/loader/batch_sampler.h"
#include "leat/loader/engine/delivery_log.h"
#include "leat/loader/loader_state.h"

namespace leat::detail {

// An epoch, from its beginning or from where it was left.
struct EpochStart {
  std::uint64_t epoch = 0;
  std::shared_ptr<const BatchSampler> batches;  // shared with the user; of what `earlier` leaves
  LoaderState::Earlier earlier;                 // the first of `batches` has the number earlier.batches
  DeliveryLog done;                             // these are not planned again; includes `earlier`
  std::size_t dataset_size = 0;                 // bounds the indices
};

// Goes from batch to batch, each planned once, ahead of its turn if asked.
class EpochPlanner {
 public:
  explicit EpochPlanner(std::size_t capacity) : capacity_(capacity) {}  // samples of a batch, at most

  void begin(EpochStart start);  // throws what the sampler throws
  void end() noexcept { number_ = end_; }

  std::uint64_t epoch() const noexcept { return start_.epoch; }
  bool at_end() const noexcept { return number_ >= end_; }
  std::size_t batches() const noexcept { return end_; }  // of the epoch, delivered ones included
  const LoaderState::Earlier& earlier() const noexcept { return start_.earlier; }
  std::size_t number() const noexcept { return number_; }    // of the batch to come
  std::size_t samples() const noexcept { return samples_; }  // of the batches behind it

  // The dataset's indices of batch number(). Throws what the sampler throws, and ArgumentError for a batch that is
  // empty, too large, or of samples that do not exist. Precondition: not at_end().
  const std::vector<std::uint64_t>& indices();
  void plan_ahead() noexcept;  // so that indices() need not; an error is met again there
  void advance();              // precondition: indices() returned

 private:
  void skip_done();

  const std::size_t capacity_;
  EpochStart start_;
  std::size_t end_ = 0;  // the number behind the last batch
  std::size_t number_ = 0;
  std::size_t samples_ = 0;
  std::vector<std::uint64_t> indices_;
  bool planned_ = false;  // indices_ are those of batch number_
};

}  // namespace leat::detail
