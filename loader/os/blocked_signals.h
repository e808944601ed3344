// Signals that are not to reach a thread.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace leat::detail {

/// Blocks all signals of the calling thread while it lives. Threads and processes that are started meanwhile inherit
/// the mask, so there is no moment at which a handler of the program's could run in them.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace leat::detail
