#include "leat/transfer/prefetch/prefetch_schedule.h"

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

PrefetchSchedule::PrefetchSchedule(std::size_t buffers) : buffers_(buffers, State::free) {
  if (buffers == 0)
    throw ArgumentError("a prefetcher needs at least one buffer (PrefetcherOptions::buffers is 0)");
}

PrefetchSchedule::Command PrefetchSchedule::next_command() {
  if (closed_ || failure_) return {Step::stop, generation_, 0};
  if (epoch_) return {Step::start_epoch, generation_, *std::exchange(epoch_, std::nullopt)};
  return {running_ ? Step::pull : Step::wait, generation_, 0};
}

PrefetchSchedule::Fill PrefetchSchedule::begin_fill(std::uint64_t generation) {
  needs_buffer_ = false;
  if (closed_ || generation != generation_) return {Fill::Kind::discard};
  const auto buffer = find(State::free);
  if (!buffer) {
    needs_buffer_ = true;
    return {Fill::Kind::wait};
  }
  buffers_[*buffer] = State::filling;
  fill_generation_ = generation;
  return {Fill::Kind::fill, *buffer};
}

void PrefetchSchedule::finish_fill(std::size_t buffer) {
  const bool wanted = fill_generation_ == generation_;
  buffers_[buffer] = wanted ? State::ready : State::free;
  if (wanted) deliver({Delivery::Kind::batch, buffer, nullptr});
}

void PrefetchSchedule::deliver_end(std::uint64_t generation) {
  if (generation != generation_) return;
  running_ = false;
  deliver({Delivery::Kind::end, 0, nullptr});
}

void PrefetchSchedule::deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on) {
  if (generation != generation_) return;
  running_ = epoch_goes_on;
  deliver({Delivery::Kind::error, 0, std::move(error)});
}

void PrefetchSchedule::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
}

void PrefetchSchedule::ask() {
  if (queue_.empty()) running_ = true;
}

bool PrefetchSchedule::has_delivery() const noexcept {
  return !queue_.empty() || failure_ != nullptr;
}

PrefetchSchedule::Delivery PrefetchSchedule::take() {
  if (queue_.empty()) return {Delivery::Kind::error, 0, failure_};
  Delivery delivery = std::move(queue_.front());
  queue_.pop_front();
  if (delivery.kind == Delivery::Kind::batch) buffers_[delivery.buffer] = State::leased;
  return delivery;
}

bool PrefetchSchedule::starved() const noexcept {
  return needs_buffer_ &&
         std::all_of(buffers_.begin(), buffers_.end(), [](State state) { return state == State::leased; });
}

void PrefetchSchedule::release(std::size_t buffer) {
  buffers_[buffer] = State::free;
}

void PrefetchSchedule::start_epoch(std::uint64_t epoch) {
  // Copies into ready buffers may still be running. This is harmless: the next fill comes after them on the same
  // stream.
  for (const Delivery& delivery : queue_) {
    if (delivery.kind == Delivery::Kind::batch) buffers_[delivery.buffer] = State::free;
  }
  queue_.clear();
  ++generation_;
  needs_buffer_ = false;
  epoch_ = epoch;
  running_ = true;
}

void PrefetchSchedule::close() {
  closed_ = true;
}

void PrefetchSchedule::deliver(Delivery delivery) {
  queue_.push_back(std::move(delivery));
}

std::optional<std::size_t> PrefetchSchedule::find(State state) const noexcept {
  const auto found = std::find(buffers_.begin(), buffers_.end(), state);
  if (found == buffers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - buffers_.begin());
}

}  // namespace leat::detail
