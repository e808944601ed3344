// leat-run: starts the ranks of a job on this host.
#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <optional>
#include <vector>

#include "tools/common/command_line.h"
#include "tools/run/attempt.h"
#include "tools/run/options.h"

using namespace leat::detail;
using namespace leat::tools;

namespace {

constexpr int kReaderPatience = 1000;  // ms without a byte, once a signal has asked to end

// Writes what is left. Waits for the readers as long as it takes, or, with `in_haste`, as long as they read. Returns
// false if that ended with something unread, or as soon as a signal asks to end.
bool drain(Console& console, ForwardedSignals& signals, bool in_haste) {
  const std::array sinks{&console.output, &console.errors};
  while (true) {
    std::vector<pollfd> entries{{.fd = signals.fd(), .events = POLLIN, .revents = 0}};
    for (Sink* sink : sinks) {
      sink->flush();
      if (!sink->empty()) entries.push_back({.fd = sink->fd(), .events = POLLOUT, .revents = 0});
    }
    if (entries.size() == 1) return true;
    if (::poll(entries.data(), entries.size(), in_haste ? kReaderPatience : -1) == 0) return false;
    const auto signal = signals.next();
    if (signal && asks_to_end(*signal)) return false;
  }
}

int run_job(const RunOptions& options) {
  ForwardedSignals signals;
  Console console;
  const JobIdentity job = make_job_identity();
  const auto end = options.timeout ? std::optional<Deadline>(*options.timeout) : std::nullopt;
  for (int restart = 0;; ++restart) {
    const AttemptOutcome outcome = Attempt(options, job, restart, end, signals, console).run();
    const bool again = outcome.may_restart && restart < options.restarts;
    if (again)
      console.say(
          fmt::format("all ranks are started again: restart {} of {}", restart + 1, options.restarts));
    const bool drained = drain(console, signals, outcome.asked_to_end);
    if (!drained || !again) return outcome.exit_status;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  const int code = run_program("leat-run", [&] {
    if (const auto options = read_run_options(argc, argv)) status = run_job(*options);
  });
  return code != 0 ? code : status;
}
