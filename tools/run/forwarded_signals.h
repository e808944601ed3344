// The signals that leat-run forwards.
#pragma once

#include <signal.h>

#include <optional>

#include "leat/datasets/base/unique_fd.h"

namespace leat::tools {

// Blocks the signals and makes them readable instead, until the process ends. Signals that are ignored, as nohup wants
// it, stay ignored. Also blocks SIGPIPE, so that writing without a reader is an error. Create it before any rank.
class ForwardedSignals {
 public:
  ForwardedSignals();  // throws SystemError

  int fd() const noexcept { return fd_.get(); }
  std::optional<int> next();  // a signal that has come; never blocks

 private:
  detail::UniqueFd fd_;
};

// Whether the signal asks a program to end.
bool asks_to_end(int signal) noexcept;

}  // namespace leat::tools
