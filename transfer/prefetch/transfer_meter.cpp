#include "leat/transfer/prefetch/transfer_meter.h"

#include <algorithm>

namespace leat::detail {
namespace {

// Takes a number from those that are free, after `make` has made another one if there are fewer than `most`.
template <class Make>
TransferMeter::Number take(std::deque<std::size_t>& free, std::size_t count, std::size_t most, Make make) {
  if (free.empty()) {
    if (count >= most) return std::nullopt;
    make();
    free.push_back(count);
  }
  const std::size_t number = free.front();
  free.pop_front();
  return number;
}

}  // namespace

TransferMeter::TransferMeter(Device& device) : device_(device) {
  stats_.device = &device;
}

TransferMeter::Number TransferMeter::start_copy(StreamRef copies) {
  const std::lock_guard lock(mutex_);
  if (free_copies_.empty()) collect();
  const Number number = take(free_copies_, copies_.size(), kEvents, [this] {
    const auto timed = [this] { return device_.make_event(EventTiming::on); };
    copies_.push_back({timed(), timed(), timed()});
  });
  if (number) device_.record(copies_[*number].start, copies);
  return number;
}

void TransferMeter::end_copy(Number copy, std::size_t bytes, StreamRef copies) {
  if (!copy) return;
  const std::lock_guard lock(mutex_);
  copies_[*copy].bytes = bytes;
  device_.record(copies_[*copy].end, copies);
}

void TransferMeter::ready(Number copy, StreamRef outputs) {
  if (!copy) return;
  const std::lock_guard lock(mutex_);
  device_.record(copies_[*copy].ready, outputs);
}

void TransferMeter::drop_copy(Number copy) {
  if (!copy) return;
  const std::lock_guard lock(mutex_);
  free_copies_.push_back(*copy);
}

TransferMeter::Number TransferMeter::ask(StreamRef consumer) {
  const std::lock_guard lock(mutex_);
  if (free_requests_.empty()) collect();
  const Number number = take(free_requests_, requests_.size(), kEvents,
                             [this] { requests_.push_back(device_.make_event(EventTiming::on)); });
  if (number) device_.record(requests_[*number], consumer);
  return number;
}

void TransferMeter::arrive(Number request, Number copy) {
  const std::lock_guard lock(mutex_);
  if (request && copy) {
    arrivals_.push_back({*request, *copy});
    return;
  }
  if (request) free_requests_.push_back(*request);
  if (copy) free_copies_.push_back(*copy);
}

void TransferMeter::drop_request(Number request) {
  arrive(request, std::nullopt);
}

DeviceTransferStats TransferMeter::stats() {
  const std::lock_guard lock(mutex_);
  collect();
  return stats_;
}

void TransferMeter::collect() {
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.front();
    const Copy& copy = copies_[arrival.copy];
    const Event& request = requests_[arrival.request];
    if (!device_.passed(request) || !device_.passed(copy.ready)) return;
    ++stats_.batches;
    stats_.copied_bytes += copy.bytes;
    stats_.copy_seconds += device_.seconds_between(copy.start, copy.end);
    stats_.wait_seconds += std::max(0.0, device_.seconds_between(request, copy.ready));
    free_copies_.push_back(arrival.copy);
    free_requests_.push_back(arrival.request);
    arrivals_.pop_front();
  }
}

}  // namespace leat::detail
