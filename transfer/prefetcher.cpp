#include "leat/transfer/prefetcher.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/datasets/warning.h"
#include "leat/loader/errors.h"
#include "leat/transfer/prefetch/batch_pool.h"
#include "leat/transfer/prefetch/prefetch_pump.h"

namespace leat {

using namespace detail;

namespace {

using Kind = PrefetchSchedule::Delivery::Kind;

PinnedRegion pin(Device& device, std::span<std::byte> memory, const PrefetcherOptions& options) {
  if (memory.empty()) return {};
  try {
    return device.pin(memory);
  } catch (const DeviceError& error) {
    warn(options.on_warning,
         fmt::format(
             "the batch slots could not be page-locked, so each batch is copied once more on its way to {}, "
             "through page-locked memory: {}",
             device.name(), error.what()));
    return {};
  }
}

}  // namespace

// The order of the members matters, because the last one is destroyed first: the pump waits for its copies, then the
// slots can be unlocked, and then they can be freed.
class Prefetcher::Impl {
 public:
  Impl(BatchSource source, Device& device, const PrefetcherOptions& options)
      : keeper_(source.keeper),
        memory_(source.memory),
        pinned_(pin(device, memory_, options)),
        pool_(make_process_owned<BatchPool>(device, DeviceLayout(source.layout, options.normalize),
                                            options.buffers)),
        pump_(std::move(source), pinned_ ? memory_ : std::span<std::byte>(), pool_) {}

  std::optional<DeviceBatch> next(StreamRef consumer);
  void start_epoch(std::uint64_t epoch) { pool_->start_epoch(epoch); }
  Device& device() const noexcept { return pool_->device(); }
  bool is_in_own_process() const noexcept { return owner_.is_current(); }

 private:
  const ProcessIdentity owner_;
  const std::shared_ptr<const void> keeper_;
  const std::span<std::byte> memory_;      // of the source
  const PinnedRegion pinned_;              // holds nothing if that cannot be page-locked
  const std::shared_ptr<BatchPool> pool_;  // shared with the batches, which may outlive the prefetcher
  PrefetchPump pump_;
};

std::optional<DeviceBatch> Prefetcher::Impl::next(StreamRef consumer) {
  if (&consumer.device() != &device()) {
    throw ArgumentError(fmt::format("this prefetcher is of {}, but the consumer's stream is of {}",
                                    device().name(), consumer.device().name()));
  }
  pool_->require_no_capture(consumer);
  const ProfilerRange range(device(), "leat: next()");
  const PrefetchSchedule::Delivery delivery = pool_->take();
  if (delivery.kind == Kind::error) std::rethrow_exception(delivery.error);
  if (delivery.kind == Kind::end) return std::nullopt;
  DeviceBatch batch(pool_, delivery.buffer, consumer);  // first: it gives the buffer back if wait() throws
  device().wait(consumer, (*pool_)[delivery.buffer].ready);
  return batch;
}

Prefetcher::Prefetcher(DataLoader& loader, Device& device, const PrefetcherOptions& options)
    : Prefetcher(BatchSource::of(loader), device, options) {}

Prefetcher::Prefetcher(BatchSource source, Device& device, const PrefetcherOptions& options)
    : impl_(make_process_owned<Impl>(std::move(source), device, options)) {}

Prefetcher::Prefetcher(Prefetcher&&) noexcept = default;
Prefetcher& Prefetcher::operator=(Prefetcher&&) noexcept = default;
Prefetcher::~Prefetcher() = default;

std::optional<DeviceBatch> Prefetcher::next(StreamRef consumer) {
  return impl().next(consumer);
}

void Prefetcher::start_epoch(std::uint64_t epoch) {
  impl().start_epoch(epoch);
}

Prefetcher::Impl& Prefetcher::impl() const {
  if (!impl_)
    throw ArgumentError("this prefetcher was moved from, so it can only be assigned to or destroyed");
  if (impl_->is_in_own_process()) return *impl_;
  throw ForkedProcessError(
      "this prefetcher was made in another process, from which this one was forked; make a loader and a "
      "prefetcher in this process");
}

BatchRange<DeviceBatch> Prefetcher::rest(StreamRef consumer, SampleErrorHandler on_error) {
  return BatchRange<DeviceBatch>([&impl = impl(), consumer] { return impl.next(consumer); },
                                 std::move(on_error));
}

BatchRange<DeviceBatch> Prefetcher::epoch(std::uint64_t epoch, StreamRef consumer,
                                          SampleErrorHandler on_error) {
  start_epoch(epoch);
  return rest(consumer, std::move(on_error));
}

Device& Prefetcher::device() const noexcept {
  return impl_->device();
}

}  // namespace leat
