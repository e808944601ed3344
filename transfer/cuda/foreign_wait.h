// The wait of a GPU's stream for an event of a device that is no GPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "leat/transfer/cuda/failure_log.h"
#include "leat/transfer/cuda/host_signals.h"

namespace leat::detail::cuda {

// Ends once: when the event has passed, when the wait could not be enqueued, or at the latest when nobody is left who
// could end it. So a stream never waits for an event that cannot pass. Thread-safe.
class ForeignWait {
 public:
  // Notes a wait in the log of the stream that waits.
  ForeignWait(std::unique_ptr<HostSignals::Signal> signal, std::shared_ptr<FailureLog> log)
      : signal_(std::move(signal)), log_(std::move(log)), number_(log_->add_work()) {}
  ForeignWait(const ForeignWait&) = delete;
  ForeignWait& operator=(const ForeignWait&) = delete;
  ~ForeignWait();

  const HostSignals::Signal& signal() const noexcept { return *signal_; }
  // Tells whether the stream's log knows how it ended. Then the stream need not wait.
  bool has_ended() const noexcept { return is_logged_; }
  // Hands the failure over to the stream that waits, and then lets it go on. The first call counts.
  void end(std::exception_ptr failure) noexcept;

 private:
  const std::unique_ptr<HostSignals::Signal> signal_;
  const std::shared_ptr<FailureLog> log_;  // shared with the stream
  const std::uint64_t number_;             // of the wait in the log
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_logged_{false};
};

}  // namespace leat::detail::cuda
