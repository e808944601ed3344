#include "tools/run/attempt.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "leat/datasets/errors.h"

namespace leat::tools {

using namespace detail;

namespace {

constexpr int kTimeoutStatus = 124;  // as of timeout(1)
constexpr int kOutputLostStatus = 1;
constexpr std::chrono::milliseconds kLeftBehindPatience(1000);
constexpr std::chrono::milliseconds kKillAgain(1000);

// Reads what is there. Returns false, and closes the descriptor, at the end of the stream.
bool read_available(UniqueFd& fd, PrefixedLines& lines, const Sink& sink) {
  std::array<char, 1 << 14> bytes;
  while (!sink.full()) {
    const ssize_t got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got > 0) {
      lines.add({bytes.data(), static_cast<std::size_t>(got)});
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return true;
    } else {
      lines.finish();
      fd.reset();
      return false;
    }
  }
  return true;
}

std::string how(int exit_status, bool killed) {
  if (!killed) return fmt::format("ended with exit status {}", exit_status);
  return fmt::format("was killed by signal {} ({})", exit_status - 128, ::strsignal(exit_status - 128));
}

}  // namespace

void Console::say(std::string_view line) {
  errors.add(fmt::format("leat-run: {}\n", line));
}

Attempt::Rank::Rank(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                    int number, Console& console)
    : process(command, environment),
      output(fmt::format("[{}] ", number), console.output, last),
      errors(fmt::format("[{}] ", number), console.errors, last) {}

Attempt::Attempt(const RunOptions& options, const JobIdentity& job, int restart,
                 const std::optional<Deadline>& end, ForwardedSignals& signals, Console& console)
    : options_(options), end_(end), signals_(signals), console_(console) {
  for (int rank = 0; rank < options.ranks; ++rank) {
    ranks_.emplace_back(options.command, environment_of_rank(options, job, port_.number(), restart, rank),
                        rank, console);
  }
}

AttemptOutcome Attempt::run() {
  while (!finished()) {
    wait_for_events();
    take_signals();
    take_ended_ranks();
    read_output();
    check_deadlines();
  }
  report_failure();
  const bool failed = failed_rank_.has_value();
  const int status = failed ? *ranks_[static_cast<std::size_t>(*failed_rank_)].exit_status : 0;
  return {.exit_status = own_status_.value_or(status),
          .may_restart = failed && !own_status_ && !asked_by_,
          .asked_to_end = asked_by_.has_value()};
}

bool Attempt::finished() {
  return all_ended() && !reads_output();
}

bool Attempt::reads_output() {
  return std::ranges::any_of(ranks_,
                             [](Rank& rank) { return rank.process.output() || rank.process.errors(); });
}

bool Attempt::all_ended() const {
  return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.exit_status.has_value(); });
}

void Attempt::wait_for_events() {
  std::vector<pollfd> entries{{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
  const auto add = [&](int fd, short events) {
    entries.push_back({.fd = fd, .events = events, .revents = 0});
  };
  for (const Sink* sink : {&console_.output, &console_.errors}) {
    if (!sink->empty()) add(sink->fd(), POLLOUT);
  }
  for (Rank& rank : ranks_) {
    if (!rank.exit_status) add(rank.process.pidfd(), POLLIN);
    if (rank.process.output() && !console_.output.full()) add(rank.process.output().get(), POLLIN);
    if (rank.process.errors() && !console_.errors.full()) add(rank.process.errors().get(), POLLIN);
  }
  int timeout = -1;
  const bool is_over = own_status_ || all_ended();  // the job: its end is awaited no longer
  for (const auto& deadline : {is_over ? std::nullopt : end_, kill_at_, stop_reading_at_}) {
    if (!deadline) continue;
    const int left = deadline->poll_timeout();
    timeout = timeout < 0 ? left : std::min(timeout, left);
  }
  ::poll(entries.data(), entries.size(), timeout);
}

void Attempt::read_output() {
  for (Rank& rank : ranks_) {
    if (rank.process.output()) read_available(rank.process.output(), rank.output, console_.output);
    if (rank.process.errors()) read_available(rank.process.errors(), rank.errors, console_.errors);
  }
  for (Sink* sink : {&console_.output, &console_.errors}) sink->flush();
  if (console_.output.error() == 0 || own_status_) return;
  own_status_ = kOutputLostStatus;
  console_.say(fmt::format("writing to standard output: {}", ::strerror(console_.output.error())));
  end_ranks();
}

void Attempt::take_signals() {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGTSTP) {
      stop_like_the_ranks();
    } else if (!asks_to_end(*signal)) {
      signal_all(*signal);
    } else if (all_ended()) {
      asked_by_ = signal;
    } else if (asked_by_) {
      console_.say(fmt::format("a second signal ({}): the ranks are killed", ::strsignal(*signal)));
      signal_all(SIGKILL);
    } else {
      asked_by_ = signal;
      console_.say(fmt::format("signal {} ({}) is forwarded to the ranks; a second one kills them", *signal,
                               ::strsignal(*signal)));
      signal_all(*signal);
    }
  }
}

void Attempt::stop_like_the_ranks() {
  signal_all(SIGTSTP);
  ::raise(SIGSTOP);
  signal_all(SIGCONT);
}

void Attempt::take_ended_ranks() {
  std::optional<int> failed;
  for (int i = 0; i < options_.ranks; ++i) {
    Rank& rank = ranks_[static_cast<std::size_t>(i)];
    if (rank.exit_status) continue;
    rank.exit_status = rank.process.exit_status();
    if (!rank.exit_status || *rank.exit_status == 0) continue;
    // Of several that have ended meanwhile, one that was killed is the more likely cause.
    if (!failed ||
        (rank.process.was_killed() && !ranks_[static_cast<std::size_t>(*failed)].process.was_killed())) {
      failed = i;
    }
  }
  if (failed && !failed_rank_) note_failure(*failed);
  if (!all_ended() || stop_reading_at_) return;
  if (failed_rank_ || own_status_) signal_all(SIGKILL);  // the processes that the ranks have left behind
  kill_at_.reset();
  stop_reading_at_ = Deadline(kLeftBehindPatience);
}

void Attempt::note_failure(int number) {
  failed_rank_ = number;
  if (own_status_ || asked_by_) return;
  const Rank& rank = ranks_[static_cast<std::size_t>(number)];
  console_.say(fmt::format("rank {} {}{}", number, how(*rank.exit_status, rank.process.was_killed()),
                           all_ended() ? "" : "; the other ranks are ended"));
  end_ranks();
}

void Attempt::end_ranks() {
  if (kill_at_ || all_ended()) return;
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // a stopped process could not end
  kill_at_ = Deadline(options_.grace);
}

void Attempt::check_deadlines() {
  if (end_ && end_->passed() && !own_status_ && !all_ended()) {
    own_status_ = kTimeoutStatus;
    console_.say("the job has not ended within the time of --timeout; the ranks are ended");
    end_ranks();
  }
  if (kill_at_ && kill_at_->passed()) {
    kill_ranks();
    kill_at_ = Deadline(kKillAgain);  // if the kernel is not done
  }
  if (!stop_reading_at_) return;
  if (is_full() && !asked_by_) {
    stop_reading_at_ = Deadline(kLeftBehindPatience);  // what ranks have written may lie unread
  } else if (stop_reading_at_->passed()) {
    stop_reading(is_full() ? "has printed more than was read of leat-run's output; it is read no further"
                           : "has left processes behind that keep its output open; it is read no further");
  }
}

void Attempt::kill_ranks() {
  for (int i = 0; i < options_.ranks && !killed_; ++i) {
    if (ranks_[static_cast<std::size_t>(i)].exit_status) continue;
    console_.say(fmt::format("rank {} has not ended within {} ms of SIGTERM and is killed", i,
                             options_.grace.count()));
  }
  killed_ = true;
  signal_all(SIGKILL);
}

void Attempt::stop_reading(std::string_view why) {
  for (int i = 0; i < options_.ranks; ++i) {
    Rank& rank = ranks_[static_cast<std::size_t>(i)];
    if (!rank.process.output() && !rank.process.errors()) continue;
    console_.say(fmt::format("rank {} {}", i, why));
    rank.output.finish();
    rank.errors.finish();
    rank.process.output().reset();
    rank.process.errors().reset();
  }
}

void Attempt::signal_all(int signal) {
  for (const Rank& rank : ranks_) rank.process.signal_group(signal);
}

void Attempt::report_failure() {
  if (!failed_rank_ || own_status_ || asked_by_) return;
  const Rank& rank = ranks_[static_cast<std::size_t>(*failed_rank_)];
  const auto& lines = rank.last.lines();
  console_.say(fmt::format(
      "rank {} failed first: it {}{}", *failed_rank_, how(*rank.exit_status, rank.process.was_killed()),
      lines.empty() ? " and printed nothing"
                    : fmt::format("; the last {} lines that it printed:", lines.size())));
  for (const std::string& line : lines) console_.errors.add(fmt::format("  [{}] {}\n", *failed_rank_, line));
}

}  // namespace leat::tools
