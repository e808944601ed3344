#include "leat/transfer/prefetch/batch_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/loader/errors.h"
#include "leat/loader/os/service_thread.h"

namespace leat::detail {
namespace {

// Swallows a stream's failure: at this point nobody can be told, and the event has passed anyway.
void wait_quietly(const Event& event) noexcept {
  try {
    event.ref().device().synchronize(event.ref());
  } catch (...) {
    static_cast<void>(0);
  }
}

BatchPool::Part make_part(Device& device, const DeviceLayout& layout) {
  PinnedBuffer mapped;
  if (layout.mapped_bytes() > 0) mapped = device.allocate_pinned(layout.mapped_bytes());
  return {device.allocate(layout.bytes()), std::move(mapped), device.make_event(), device.make_event(),
          device.make_event()};
}

}  // namespace

BatchPool::BatchPool(BatchDivision division, std::size_t buffers)
    : division_(std::move(division)), schedule_(buffers), owed_(buffers) {
  buffers_.resize(buffers);
  for (Device* const device : division_.devices()) meters_.emplace_back(*device, buffers);
  for (Buffer& buffer : buffers_) {
    for (std::size_t i = 0; i < division_.devices().size(); ++i)
      buffer.parts.push_back(make_part(*division_.devices()[i], division_.layout(i)));
  }
}

std::shared_ptr<BatchPool> BatchPool::make(BatchDivision division, std::size_t buffers) {
  return {new BatchPool(std::move(division), buffers), &BatchPool::destroy};
}

void BatchPool::destroy(BatchPool* pool) noexcept {
  if (!pool->owner_.is_current()) return;
  if (!host_device().runs_this_thread()) {  // for whose stream one of a GPU may wait
    delete pool;
    return;
  }
  try {
    start_service_thread("leat-release", [pool] { delete pool; }).detach();
  } catch (const std::exception&) {
    static_cast<void>(pool);  // its memory is lost: work that is enqueued may still use it
  }
}

BatchPool::~BatchPool() {
  for (const Buffer& buffer : buffers_) {
    for (const Part& part : buffer.parts) {
      wait_quietly(part.ready);
      wait_quietly(part.released);
    }
  }
}

template <class Change>
auto BatchPool::change(Change&& make) {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();  // a thread that wakes up waits for the lock, and so for the change
  return make(schedule_);
}

void BatchPool::require_no_capture(StreamRef consumer) {
  if (!consumer.device().is_capturing(consumer)) return;
  throw DeviceError(fmt::format(
      "{}: a batch was requested or destroyed while its consumer's stream was being captured into a graph; "
      "take and destroy batches outside of captures",
      consumer.device().name()));
}

std::vector<std::size_t> BatchPool::held_parts(std::size_t buffer) const {
  const std::vector<Part>& parts = buffers_[buffer].parts;
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (division_.holds_any(i, parts[i].extent.rows)) held.push_back(i);
  }
  return held;
}

PrefetchSchedule::Command BatchPool::next_command() {
  return change([](PrefetchSchedule& schedule) { return schedule.next_command(); });
}

PrefetchSchedule::Command BatchPool::wait_for_command() {
  std::unique_lock lock(mutex_);
  PrefetchSchedule::Command command;
  changed_.wait(lock, [&] {
    command = schedule_.next_command();
    return command.step != PrefetchSchedule::Step::wait;
  });
  return command;
}

PrefetchSchedule::Fill BatchPool::begin_fill(std::uint64_t generation) {
  return change([&](PrefetchSchedule& schedule) { return schedule.begin_fill(generation); });
}

PrefetchSchedule::Fill BatchPool::wait_to_fill(std::uint64_t generation) {
  std::unique_lock lock(mutex_);
  PrefetchSchedule::Fill fill;
  changed_.wait(lock, [&] {
    fill = schedule_.begin_fill(generation);
    return fill.kind != PrefetchSchedule::Fill::Kind::wait;
  });
  return fill;
}

void BatchPool::finish_fill(std::size_t buffer) {
  change([&](PrefetchSchedule& schedule) { schedule.finish_fill(buffer); });
}

void BatchPool::deliver_end(std::uint64_t generation) {
  change([&](PrefetchSchedule& schedule) { schedule.deliver_end(generation); });
}

void BatchPool::deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on) {
  change([&](PrefetchSchedule& schedule) {
    schedule.deliver_error(generation, std::move(error), epoch_goes_on);
  });
}

void BatchPool::fail(std::exception_ptr failure) noexcept {
  change([&](PrefetchSchedule& schedule) { schedule.fail(std::move(failure)); });
}

PrefetchSchedule::Delivery BatchPool::take() {
  std::unique_lock lock(mutex_);
  schedule_.ask();
  changed_.notify_all();
  changed_.wait(lock, [this] { return schedule_.has_delivery() || schedule_.starved(); });
  if (!schedule_.has_delivery()) {
    throw SlotsHeldError(
        fmt::format("all {} device buffers of the prefetcher are held as batches, so none can be "
                    "filled; destroy a batch first, or raise PrefetcherOptions::buffers",
                    buffers_.size()));
  }
  PrefetchSchedule::Delivery delivery = schedule_.take();
  if (delivery.kind == PrefetchSchedule::Delivery::Kind::batch)
    owed_[delivery.buffer] = held_parts(delivery.buffer).size();
  return delivery;
}

void BatchPool::start_epoch(std::uint64_t epoch) {
  change([&](PrefetchSchedule& schedule) { schedule.start_epoch(epoch); });
}

void BatchPool::close() noexcept {
  change([](PrefetchSchedule& schedule) { schedule.close(); });
}

void BatchPool::release(std::size_t buffer, std::size_t part, StreamRef consumer) noexcept {
  if (!owner_.is_current()) return;
  try {
    require_no_capture(consumer);
    consumer.device().record(buffers_[buffer].parts[part].released, consumer);
  } catch (...) {
    fail(std::current_exception());
    return;  // still leased: nobody may write to it
  }
  change([&](PrefetchSchedule& schedule) {
    if (--owed_[buffer] == 0) schedule.release(buffer);
  });
}

}  // namespace leat::detail
