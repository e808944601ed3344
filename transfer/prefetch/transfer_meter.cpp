#include "leat/transfer/prefetch/transfer_meter.h"

#include <algorithm>

namespace leat::detail {
namespace {

// Makes the `count` + 1st if none is free, unless there are `most`. Returns whether one is free then.
template <class Make>
bool provide(std::deque<std::size_t>& free, std::size_t count, std::size_t most, Make make) {
  if (!free.empty()) return true;
  if (count >= most) return false;
  make();
  free.push_back(count);
  return true;
}

// Takes the first of those that are free, once `record` has recorded its event.
template <class Record>
std::size_t take(std::deque<std::size_t>& free, Record record) {
  const std::size_t number = free.front();
  record(number);
  free.pop_front();
  return number;
}

}  // namespace

TransferMeter::TransferMeter(Device& device, std::size_t buffers)
    : device_(device), most_(std::max<std::size_t>(32, 2 * buffers)) {
  stats_.device = &device;
}

TransferMeter::Number TransferMeter::start_copy(StreamRef copies) {
  const std::lock_guard lock(mutex_);
  if (free_copies_.empty()) collect();
  const bool is_free = provide(free_copies_, copies_.size(), most_, [this] {
    const auto timed = [this] { return device_.make_event(EventTiming::on); };
    copies_.push_back({timed(), timed(), timed()});
  });
  if (!is_free) return std::nullopt;
  return take(free_copies_, [&](std::size_t number) { device_.record(copies_[number].start, copies); });
}

void TransferMeter::end_copy(Number copy, Bytes bytes, StreamRef copies) {
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
  const bool is_free = provide(free_requests_, requests_.size(), most_,
                               [this] { requests_.push_back(device_.make_event(EventTiming::on)); });
  if (!is_free) return std::nullopt;
  return take(free_requests_, [&](std::size_t number) { device_.record(requests_[number], consumer); });
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
    stats_.copied_bytes += copy.bytes.copied;
    stats_.bounced_bytes += copy.bytes.bounced;
    stats_.copy_seconds += device_.seconds_between(copy.start, copy.end);
    stats_.wait_seconds += std::max(0.0, device_.seconds_between(request, copy.ready));
    free_copies_.push_back(arrival.copy);
    free_requests_.push_back(arrival.request);
    arrivals_.pop_front();
  }
}

}  // namespace leat::detail
