#include "leat/transfer/prefetcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/datasets/warning.h"
#include "leat/loader/errors.h"
#include "leat/loader/os/numa.h"
#include "leat/transfer/prefetch/batch_pool.h"
#include "leat/transfer/prefetch/pinned_memory.h"
#include "leat/transfer/prefetch/prefetch_pump.h"

namespace leat {

using namespace detail;

namespace {

using Kind = PrefetchSchedule::Delivery::Kind;

// The measurements of one call of next(). Those that no batch ends are dropped.
class Requests {
 public:
  explicit Requests(BatchPool& pool) : pool_(pool) {}
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) pool_.meter(i).drop_request(numbers_[i]);
  }
  void ask(std::span<const StreamRef> consumers) {
    for (std::size_t i = 0; i < consumers.size(); ++i) numbers_.push_back(pool_.meter(i).ask(consumers[i]));
  }
  void arrive(std::size_t device, TransferMeter::Number copy) {
    pool_.meter(device).arrive(std::exchange(numbers_[device], std::nullopt), copy);
  }

 private:
  BatchPool& pool_;
  std::vector<TransferMeter::Number> numbers_;
};

// Adds up the times of epochs.
class EpochClock {
 public:
  void resume() {
    if (!since_) since_ = Clock::now();
  }
  void stop() {
    seconds_ = seconds();
    since_.reset();
  }
  double seconds() const {
    return since_ ? seconds_ + std::chrono::duration<double>(Clock::now() - *since_).count() : seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_ = 0;                      // of those that have ended
  std::optional<Clock::time_point> since_;  // none: no epoch is under way
};

std::vector<Device*> pointers(const std::vector<std::reference_wrapper<Device>>& devices) {
  std::vector<Device*> pointers;
  for (Device& device : devices) pointers.push_back(&device);
  return pointers;
}

// Returns the node that all devices are attached to; nullopt if they differ, or if one of them tells none.
std::optional<int> common_numa_node(std::span<Device* const> devices) {
  const std::optional<int> node = devices.front()->numa_node();
  const bool is_common =
      std::ranges::all_of(devices, [&](const Device* each) { return each->numa_node() == node; });
  return is_common ? node : std::nullopt;
}

// Page-locks memory for all devices. Locking it for one of them is locking it for all, so the first that needs it does.
PinnedMemory pin(std::span<Device* const> devices, std::vector<std::span<std::byte>> memory,
                 const PrefetcherOptions& options) {
  const auto device =
      std::ranges::find_if(devices, [](const Device* each) { return each->needs_pinned_memory(); });
  if (device == devices.end()) return {};
  try {
    return PinnedMemory(**device, std::move(memory));
  } catch (const DeviceError& error) {
    warn(options.on_warning,
         fmt::format(
             "the batch slots could not be page-locked, so each batch is copied once more on its way to {}, "
             "through page-locked memory: {}",
             (*device)->name(), error.what()));
    return {};
  }
}

PinnedMemory place_and_pin(std::span<Device* const> devices, const std::vector<std::span<std::byte>>& memory,
                           std::optional<int> node, const PrefetcherOptions& options) {
  for (const std::span<std::byte> part : memory) {
    if (node) static_cast<void>(prefer_node(part, *node));  // first, since locked pages cannot be moved
  }
  return pin(devices, memory, options);
}

}  // namespace

// The order of the members matters, because the last one is destroyed first: the pump waits for its copies, then the
// slots can be unlocked, and then they can be freed.
class Prefetcher::Impl {
 public:
  Impl(BatchSource source, std::vector<Device*> devices, const PrefetcherOptions& options)
      : keeper_(source.keeper),
        pool_(BatchPool::make(BatchDivision(source.layout, std::move(devices), options), options.buffers)),
        node_(common_numa_node(this->devices())),
        pinned_(place_and_pin(this->devices(), source.memory, node_, options)),
        pump_(std::move(source), pinned_, pool_, node_ ? cpus_of_node(*node_) : std::vector<int>()) {}

  std::vector<DeviceBatch> next(std::span<const StreamRef> consumers);
  std::optional<DeviceBatch> next(StreamRef consumer);
  void start_epoch(std::uint64_t epoch) {
    pool_->start_epoch(epoch);
    clock_.resume();
  }
  PrefetcherStats stats();
  std::span<Device* const> devices() const noexcept { return pool_->division().devices(); }
  bool is_in_own_process() const noexcept { return owner_.is_current(); }

 private:
  void check_consumers(std::span<const StreamRef> consumers) const;

  const ProcessIdentity owner_;
  const std::shared_ptr<const void> keeper_;
  const std::shared_ptr<BatchPool> pool_;  // shared with the batches, which may outlive the prefetcher
  const std::optional<int> node_;          // of all devices
  const PinnedMemory pinned_;              // of the source; nothing if that cannot be page-locked
  PrefetchPump pump_;
  EpochClock clock_;
};

PrefetcherStats Prefetcher::Impl::stats() {
  PrefetcherStats stats{
      .direct_batches = pump_.direct(), .bounced_batches = pump_.bounced(), .seconds = clock_.seconds()};
  for (std::size_t i = 0; i < devices().size(); ++i) stats.devices.push_back(pool_->meter(i).stats());
  return stats;
}

void Prefetcher::Impl::check_consumers(std::span<const StreamRef> consumers) const {
  if (consumers.size() != devices().size()) {
    throw ArgumentError(fmt::format("this prefetcher has {} devices, but next() was given {} streams",
                                    devices().size(), consumers.size()));
  }
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    if (&consumers[i].device() != devices()[i]) {
      throw ArgumentError(
          fmt::format("device {} of this prefetcher is {}, but the consumer's stream is of {}", i,
                      devices()[i]->name(), consumers[i].device().name()));
    }
  }
  for (const StreamRef consumer : consumers) BatchPool::require_no_capture(consumer);
}

std::vector<DeviceBatch> Prefetcher::Impl::next(std::span<const StreamRef> consumers) {
  check_consumers(consumers);
  const ProfilerRange range(*devices().front(), "leat: next()");
  clock_.resume();
  Requests requests(*pool_);
  requests.ask(consumers);
  const PrefetchSchedule::Delivery delivery = pool_->take();
  if (delivery.kind == Kind::error) std::rethrow_exception(delivery.error);
  if (delivery.kind == Kind::end) {
    clock_.stop();
    return {};
  }
  // All batches come first: they give the buffer back if what follows throws.
  std::vector<DeviceBatch> batches;
  std::vector<BatchPool::Part>& parts = (*pool_)[delivery.buffer].parts;
  const std::vector<std::size_t> held = pool_->held_parts(delivery.buffer);
  batches.reserve(held.size());
  for (const std::size_t i : held) batches.emplace_back(pool_, delivery.buffer, i, consumers[i]);
  for (const std::size_t i : held) {
    requests.arrive(i, std::exchange(parts[i].copy, std::nullopt));
    devices()[i]->wait(consumers[i], parts[i].ready);
  }
  return batches;
}

std::optional<DeviceBatch> Prefetcher::Impl::next(StreamRef consumer) {
  std::vector<DeviceBatch> batches = next(std::span(&consumer, 1));
  if (batches.empty()) return std::nullopt;
  return std::move(batches.front());
}

Prefetcher::Prefetcher(DataLoader& loader, Device& device, const PrefetcherOptions& options)
    : Prefetcher(BatchSource::of(loader), device, options) {}

Prefetcher::Prefetcher(BatchSource source, Device& device, const PrefetcherOptions& options)
    : Prefetcher(std::move(source), std::vector{std::ref(device)}, options) {}

Prefetcher::Prefetcher(DataLoader& loader, const std::vector<std::reference_wrapper<Device>>& devices,
                       const PrefetcherOptions& options)
    : Prefetcher(BatchSource::of(loader), devices, options) {}

Prefetcher::Prefetcher(BatchSource source, const std::vector<std::reference_wrapper<Device>>& devices,
                       const PrefetcherOptions& options)
    : impl_(make_process_owned<Impl>(std::move(source), pointers(devices), options)) {}

Prefetcher::Prefetcher(Prefetcher&&) noexcept = default;
Prefetcher& Prefetcher::operator=(Prefetcher&&) noexcept = default;
Prefetcher::~Prefetcher() = default;

std::optional<DeviceBatch> Prefetcher::next(StreamRef consumer) {
  return impl().next(consumer);
}

std::vector<DeviceBatch> Prefetcher::next(std::span<const StreamRef> consumers) {
  return impl().next(consumers);
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

BatchRange<std::vector<DeviceBatch>> Prefetcher::rest(std::span<const StreamRef> consumers,
                                                      SampleErrorHandler on_error) {
  const auto next = [&impl = impl(), consumers]() -> std::optional<std::vector<DeviceBatch>> {
    std::vector<DeviceBatch> parts = impl.next(consumers);
    if (parts.empty()) return std::nullopt;
    return parts;
  };
  return BatchRange<std::vector<DeviceBatch>>(next, std::move(on_error));
}

BatchRange<std::vector<DeviceBatch>> Prefetcher::epoch(std::uint64_t epoch,
                                                       std::span<const StreamRef> consumers,
                                                       SampleErrorHandler on_error) {
  start_epoch(epoch);
  return rest(consumers, std::move(on_error));
}

PrefetcherStats Prefetcher::stats() const {
  return impl().stats();
}

std::span<Device* const> Prefetcher::devices() const noexcept {
  return impl_->devices();
}

}  // namespace leat
