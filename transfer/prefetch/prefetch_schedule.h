// The scheduling decisions of a prefetcher, without threads, memory or a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

namespace leat::detail {

// Tracks who holds which buffer, what comes next, and where an epoch ends. There are two sides: the pump pulls
// batches and fills buffers with them, and the consumer takes deliveries and releases buffers.
//
// Not thread-safe: the caller must ensure that one thread at a time calls.
// Invariants:
//  1. A buffer is free, being filled, ready (in the queue, once) or leased; at most one is being filled.
//  2. Deliveries leave in the order in which their batches were pulled. An epoch's end is delivered once, as its last
//     delivery.
//  3. After an epoch's end, and after an error that ends the epoch, nothing is pulled until the queue is empty and
//     the consumer asks.
//  4. A batch that was pulled before start_epoch() is not delivered after it: each pull carries the generation in
//     which it began.
//  5. After fail(), the queue is delivered first, and then the failure, on every call. Nothing more is pulled.
class PrefetchSchedule {
 public:
  enum class Step { wait, start_epoch, pull, stop };

  // The pump's next step, and the generation that it belongs to.
  struct Command {
    Step step = Step::wait;
    std::uint64_t generation = 0;
    std::uint64_t epoch = 0;  // for start_epoch
  };

  struct Delivery {
    enum class Kind { batch, end, error } kind = Kind::end;
    std::size_t buffer = 0;    // for a batch
    std::exception_ptr error;  // for an error
  };

  // What happens to a batch that was pulled: it fills `buffer`, waits until a buffer is free, or is discarded because
  // it is no longer needed.
  struct Fill {
    enum class Kind { fill, wait, discard } kind = Kind::wait;
    std::size_t buffer = 0;
  };

  explicit PrefetchSchedule(std::size_t buffers);  // throws ArgumentError for 0

  // --- Called by the pump.
  Command next_command();  // `wait` is valid until the consumer does something
  Fill begin_fill(std::uint64_t generation);
  void finish_fill(std::size_t buffer);
  void deliver_end(std::uint64_t generation);
  void deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on);
  void fail(std::exception_ptr failure);  // the first failure is kept

  // --- Called by the consumer.
  void ask();  // requests a delivery; restarts a pump that invariant 3 stopped
  bool has_delivery() const noexcept;
  Delivery take();                   // requires has_delivery(); leases the buffer of a batch
  bool starved() const noexcept;     // no delivery can come before the consumer releases a buffer
  void release(std::size_t buffer);  // the buffer must be leased
  void start_epoch(std::uint64_t epoch);
  void close();  // makes the pump stop, permanently

 private:
  enum class State { free, filling, ready, leased };

  void deliver(Delivery delivery);
  std::optional<std::size_t> find(State state) const noexcept;

  std::vector<State> buffers_;
  std::deque<Delivery> queue_;
  bool running_ = false;  // the pump should pull
  bool closed_ = false;
  bool needs_buffer_ = false;           // the pump holds a batch but found no free buffer
  std::uint64_t generation_ = 0;        // number of calls of start_epoch()
  std::uint64_t fill_generation_ = 0;   // generation of the batch being filled in
  std::optional<std::uint64_t> epoch_;  // requested, not begun
  std::exception_ptr failure_;          // set by fail()
};

}  // namespace leat::detail
