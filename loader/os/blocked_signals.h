// BlockedSignals: blocks all signals of a thread for a while.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace leat::detail {

/// Blocks all signals of the calling thread as long as the object lives. Threads and processes that are started in
/// the meantime inherit the mask, so there is no moment at which one of the program's handlers could run in them.
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
