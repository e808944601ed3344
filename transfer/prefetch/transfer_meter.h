// Measures, by events with times, how long copies to a device take and how long the consumer's stream waits for them.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "leat/transfer/device.h"
#include "leat/transfer/prefetcher_stats.h"

namespace leat::detail {

// A batch is measured by four events: three on the streams of the prefetcher, and one on the consumer's stream, when it
// is asked to go on with the next batch. No stream waits for them. If more batches are under way than there are events,
// some batches are not measured.
//
// Thread-safe.
class TransferMeter {
 public:
  TransferMeter(Device& device, std::size_t buffers);

  using Number = std::optional<std::size_t>;  // of a measurement; none: there are no events for it

  // --- Called by the pump for each batch.
  Number start_copy(StreamRef copies);
  struct Bytes {
    std::size_t copied = 0;
    std::size_t bounced = 0;  // of those, through page-locked buffers
  };
  void end_copy(Number copy, Bytes bytes, StreamRef copies);
  void ready(Number copy, StreamRef outputs);
  void drop_copy(Number copy);  // nobody took the batch

  // --- Called by the consumer.
  Number ask(StreamRef consumer);            // before it waits for a batch
  void arrive(Number request, Number copy);  // the batch has been delivered; `ready` is recorded
  void drop_request(Number request);         // there was no batch

  // Throws DeviceError if the device is lost.
  DeviceTransferStats stats();

 private:
  struct Copy {
    Event start, end, ready;
    Bytes bytes{};
  };
  struct Arrival {
    std::size_t request, copy;
  };

  void collect();

  Device& device_;
  const std::size_t most_;  // measurements under way
  std::mutex mutex_;
  // All guarded by mutex_.
  std::deque<Copy> copies_;
  std::deque<Event> requests_;
  std::deque<std::size_t> free_copies_;
  std::deque<std::size_t> free_requests_;
  std::deque<Arrival> arrivals_;  // that may not have happened yet, the oldest first
  DeviceTransferStats stats_;
};

}  // namespace leat::detail
