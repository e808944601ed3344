// The decisions of a prefetcher, without threads, memory or a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

namespace leat::detail {

// Who has which buffer, what comes next, and where an epoch ends. There are two sides: the pump, which pulls
// batches and fills buffers with them, and the consumer, which takes what is delivered and releases buffers.
//
// Threads: none; the caller sees to it that one thread at a time calls.
// Invariants:
//  1. A buffer is free, being filled, ready (in the queue, once) or leased; at most one is being filled.
//  2. Deliveries leave in the order in which their batches were pulled; an epoch's end is delivered once, and
//     last.
//  3. After an epoch's end, and after an error that does not leave the epoch going on, nothing is pulled
//     until the queue is empty and the consumer asks.
//  4. What was pulled before start_epoch() is not delivered after it: each pull carries the generation it
//     began in.
//  5. After fail(), what is in the queue is delivered, then the failure, again and again; nothing is
//     pulled.
class PrefetchSchedule {
 public:
  enum class Step { wait, start_epoch, pull, stop };

  // What the pump does next, and the generation that it belongs to.
  struct Command {
    Step step = Step::wait;
    std::uint64_t generation = 0;
    std::uint64_t epoch = 0;  // of start_epoch
  };

  struct Delivery {
    enum class Kind { batch, end, error } kind = Kind::end;
    std::size_t buffer = 0;    // of a batch
    std::exception_ptr error;  // of an error
  };

  // What becomes of a batch that was pulled: it fills `buffer`, or waits until one is free, or is of no use
  // any more.
  struct Fill {
    enum class Kind { fill, wait, discard } kind = Kind::wait;
    std::size_t buffer = 0;
  };

  explicit PrefetchSchedule(std::size_t buffers);  // throws ArgumentError for none

  // --- The pump.
  Command next_command();  // what to do next; `wait` holds until the consumer does something
  Fill begin_fill(std::uint64_t generation);
  void finish_fill(std::size_t buffer);
  void deliver_end(std::uint64_t generation);
  void deliver_error(std::uint64_t generation, std::exception_ptr error, bool epoch_goes_on);
  void fail(std::exception_ptr failure);  // the first one stays

  // --- The consumer.
  void ask();  // it wants a delivery: goes on where invariant 3 stopped the pump
  bool has_delivery() const noexcept;
  Delivery take();                   // only with has_delivery(); a batch's buffer is leased from then on
  bool starved() const noexcept;     // no delivery can come before the consumer releases a buffer
  void release(std::size_t buffer);  // of a leased buffer
  void start_epoch(std::uint64_t epoch);
  void close();  // for good: the pump is to stop

 private:
  enum class State { free, filling, ready, leased };

  void deliver(Delivery delivery);
  std::optional<std::size_t> find(State state) const noexcept;

  std::vector<State> buffers_;
  std::deque<Delivery> queue_;
  bool running_ = false;  // the pump is to pull
  bool closed_ = false;
  bool needs_buffer_ = false;           // the pump holds a batch that found no free buffer
  std::uint64_t generation_ = 0;        // how often start_epoch() was called
  std::uint64_t fill_generation_ = 0;   // of the batch being filled in
  std::optional<std::uint64_t> epoch_;  // asked for, not begun
  std::exception_ptr failure_;          // of fail()
};

}  // namespace leat::detail
