// A guard against SIGPIPE, which Gloo's writes to sockets raise when a peer is gone.
#pragma once

#include <csignal>
#include <ctime>

namespace leat::detail {

// Blocks SIGPIPE for the calling thread while the guard exists, and discards a SIGPIPE that arrived meanwhile.
class SigpipeBlock {
 public:
  SigpipeBlock() noexcept {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~SigpipeBlock() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec at_once{};
    sigtimedwait(&sigpipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  sigset_t sigpipe_;
  sigset_t before_;
};

}  // namespace leat::detail
