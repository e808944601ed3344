#include "leat/loader/workers/worker_ending.h"

#include <fmt/format.h>

#include "leat/loader/os/child_process.h"

namespace leat::detail {

std::string WorkerEnding::describe() const {
  const auto timeout = std::chrono::duration<double>(std::chrono::nanoseconds(timeout_ns)).count();
  switch (cause) {
    case Cause::own:
    case Cause::outside:
      return describe_wait_status(wait_status);
    case Cause::memory:
      return describe_wait_status(wait_status) + ", as the memory limit of its control group was reached";
    case Cause::overdue:
      return up ? fmt::format("did not finish it within the sample_timeout of {:.3g} s, and was killed",
                              timeout)
                : fmt::format(
                      "was killed, since worker_init_fn took longer than the init_timeout of {:.3g} s",
                      timeout);
    case Cause::lost_descriptor:
      return "ended itself, since the dataset had closed a descriptor that it had not opened";
  }
  return {};
}

}  // namespace leat::detail
