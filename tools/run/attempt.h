// One attempt of a job: all ranks, from their start to their end.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/parallel/store/deadline.h"
#include "tools/run/forwarded_signals.h"
#include "tools/run/options.h"
#include "tools/run/output.h"
#include "tools/run/rank_environment.h"
#include "tools/run/rank_process.h"

namespace leat::tools {

// leat-run's own output. Its own messages go to `errors`, as lines that begin with "leat-run: ".
struct Console {
  Sink output{1};
  Sink errors{2};

  void say(std::string_view line);
};

struct AttemptOutcome {
  int exit_status = 0;
  bool may_restart = false;   // a rank failed, and nobody asked leat-run to end
  bool asked_to_end = false;  // by a signal
};

// First the ranks run. After a failure, the end of the job's time or the loss of the output, they are ended by SIGTERM,
// and by SIGKILL after the grace time. A signal that asks leat-run to end is forwarded once, without a limit of time,
// because ranks may save their work; the second one kills. When all ranks have ended, the rest of their output is read
// as fast as leat-run's own reader takes it, or, once a signal has asked to end, for a moment; processes that they have
// left behind are not waited for. Not thread-safe.
class Attempt {
 public:
  // Starts all ranks. Throws UsageError if the program cannot be started.
  Attempt(const RunOptions& options, const JobIdentity& job, int restart,
          const std::optional<detail::Deadline>& end, ForwardedSignals& signals, Console& console);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  AttemptOutcome run();

 private:
  struct Rank {
    RankProcess process;
    LastLines last;
    PrefixedLines output, errors;
    std::optional<int> exit_status{};

    Rank(const std::vector<std::string>& command, const std::vector<std::string>& environment, int number,
         Console& console);
  };

  bool finished();
  bool reads_output();  // whether output of a rank may still come
  bool is_full() const noexcept { return console_.output.full() || console_.errors.full(); }
  void wait_for_events();
  void read_output();
  void take_signals();
  void stop_like_the_ranks();
  void take_ended_ranks();
  void note_failure(int rank);
  void check_deadlines();
  void kill_ranks();
  void stop_reading(std::string_view why);
  void end_ranks();
  void signal_all(int signal);
  bool all_ended() const;
  void report_failure();

  // Constant after construction.
  const RunOptions& options_;
  const ReservedPort port_;
  const std::optional<detail::Deadline> end_;  // of the whole job

  ForwardedSignals& signals_;
  Console& console_;
  std::deque<Rank> ranks_;
  std::optional<int> failed_rank_;           // the first one
  std::optional<int> asked_by_;              // the signal that asked leat-run to end
  std::optional<detail::Deadline> kill_at_;  // while the ranks are ended
  bool killed_ = false;                      // after kill_at_ had passed
  std::optional<detail::Deadline>
      stop_reading_at_;            // when all ranks have ended; renewed while is_full(), unless asked_by_
  std::optional<int> own_status_;  // exit status that is not that of a rank
};

}  // namespace leat::tools
