#include "leat/loader/errors.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <utility>

#include "leat/loader/os/child_process.h"

namespace leat {

using namespace detail;

namespace {

std::string sample_text(std::uint64_t batch, const SampleError::Origin& origin) {
  const std::string source = origin.source.empty() ? "" : fmt::format(" ({})", origin.source);
  const std::string where = origin.worker < 0 ? "" : fmt::format(" in worker {}", origin.worker);
  std::string text = fmt::format("sample {}{} of batch {}{}: {}: {}", origin.index, source, batch, where,
                                 origin.type, origin.text);
  if (!origin.stack.empty()) {
    text +=
        fmt::format(", in{}\n  To stop there, run the program under gdb with num_workers = 0.", origin.stack);
  }
  return text;
}

}  // namespace

SampleError::SampleError(std::uint64_t batch, Origin origin)
    : Error(sample_text(batch, origin)), batch_(batch), origin_(std::move(origin)) {}

WorkerError::WorkerError(int worker, int pid, int wait_status, const std::string& why)
    : Error(
          fmt::format("worker {} (process {}) {}; {}", worker, pid, describe_wait_status(wait_status), why)),
      worker_(worker),
      pid_(pid),
      wait_status_(wait_status) {}

int WorkerError::signal() const noexcept {
  return WIFSIGNALED(wait_status_) ? WTERMSIG(wait_status_) : 0;
}

int WorkerError::exit_code() const noexcept {
  return WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : -1;
}

}  // namespace leat
