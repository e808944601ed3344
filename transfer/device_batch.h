// A batch on a device: a lease on a device buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "leat/datasets/tensor_view.h"
#include "leat/loader/loader_state.h"
#include "leat/transfer/device.h"

namespace leat {

namespace detail {
class BatchPool;
}

// Move-only. Its contents are there for whatever is enqueued on the consumer's stream, the one given to
// Prefetcher::next(), after that call; other streams must be made to wait for it, and the host must
// synchronize first. Destroying the batch gives its buffer back: what the consumer's stream has queued by
// then still sees it, later work must not. So the consumer's stream outlives the batch, and a second stream
// that uses it is waited for by the first before the batch goes.
//
// It may outlive its prefetcher and be destroyed on any thread; one object is used by one thread at a time.
class DeviceBatch {
 public:
  // For the prefetcher: `buffer` of `pool` is leased. The pool is shared since a batch may outlive the
  // prefetcher.
  DeviceBatch(std::shared_ptr<detail::BatchPool> pool, std::size_t buffer, StreamRef consumer) noexcept;
  DeviceBatch(DeviceBatch&&) noexcept = default;
  DeviceBatch& operator=(DeviceBatch&& other) noexcept;
  ~DeviceBatch();

  std::size_t size() const noexcept;  // rows; the last batch of an epoch may be short
  std::uint64_t epoch() const noexcept;
  std::uint64_t number() const noexcept;  // in the epoch, from 0

  // The dataset's index of each row, in host memory.
  std::span<const std::uint64_t> indices() const noexcept;

  // Where the loader goes on after this batch, however far it has prefetched by now: what belongs into the
  // checkpoint of a step that used it. (To resume, restore() the loader before the prefetcher is made, or
  // before its first next().) Empty for a source without states.
  const LoaderState& loader_state() const noexcept;

  // A field, or an output of normalization, of all rows, in device memory: fields have the shape [size(),
  // field shape...], outputs [size(), c, h, w] or [size(), h, w, c]. An output hides a field of its name.
  // Throws ArgumentError where there is neither.
  TensorView operator[](std::string_view name) const;

  StreamRef stream() const noexcept { return consumer_; }

 private:
  void release() noexcept;

  std::shared_ptr<detail::BatchPool> pool_;  // null: moved from
  std::size_t buffer_;
  StreamRef consumer_;
};

}  // namespace leat
