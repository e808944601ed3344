#include "loader/workers/nursery_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "loader/base/errors.h"
#include "loader/base/memory_limits.h"
#include "loader/errors.h"

namespace leat {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{1000};  // for the sample in progress, before SIGKILL
constexpr milliseconds kFirstForkWait{1}, kLongestForkWait{500};
// Of workers, at one sample, until it is held to be bad. Two unlucky kills from outside are not its fault.
constexpr std::uint8_t kDeathsOfItsOwn = 2, kDeathsFromOutside = 3;
constexpr int kInitFailed = 1;  // exit status of a worker whose init threw

// exit() in a dataset's get() would run the exit handlers of the application that was forked.
void leave_at_once(int status, void*) {
  ::_exit(status);
}

milliseconds until(std::chrono::steady_clock::time_point when) {
  const auto left = std::chrono::ceil<milliseconds>(when - std::chrono::steady_clock::now());
  return std::max(left, milliseconds(0));
}

}  // namespace

NurseryProcess::NurseryProcess(const WorkerJob& job, NurseryOptions options, UniqueFd channel,
                               UniqueFd parent)
    : job_(job),
      options_(options),
      channel_(std::move(channel)),
      parent_(std::move(parent)),
      breaker_(static_cast<std::size_t>(options.workers)),
      oom_kills_(oom_kills()) {}

int NurseryProcess::run() {
  ::prctl(PR_SET_NAME, "leat-nursery");
  for (int id = 0; id < options_.workers; ++id) pending_.push_back({id, Clock::now(), kFirstForkWait});
  do {
    start_due();
    reap_ended();
    kill_overdue();
  } while (!told_to_end());
  end_all();
  return 0;
}

// --- starting

void NurseryProcess::start_due() {
  const auto now = Clock::now();
  for (std::size_t i = pending_.size(); i-- > 0;) {
    if (gave_up_ || pending_[i].when > now) continue;
    if (start(pending_[i].id)) {
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      pending_[i].when = now + pending_[i].wait;
      pending_[i].wait = std::min(2 * pending_[i].wait, kLongestForkWait);
    }
  }
}

bool NurseryProcess::start(int id) {
  WorkerRecord& record = job_.table.worker_record(static_cast<std::size_t>(id));
  const pid_t nursery = ::getpid();
  try {
    record.busy_since.store(0);
    record.up.store(false);
    ChildProcess process = ChildProcess::run([&] { return run_child(id, nursery); }, {SIGINT});
    record.pid.store(process.pid());
    const bool first = record.starts.fetch_add(1) == 0;
    workers_.push_back({id, std::move(process)});
    if (first) report(NurseryReport::Kind::started, workers_.back(), 0);
    return true;
  } catch (const SystemError& error) {
    job_.table.release_reopened(
        static_cast<std::size_t>(id));  // nothing waits for a process that may not come
    report({NurseryReport::Kind::fork_failed, id, 0, error.code()});
    return false;
  }
}

int NurseryProcess::run_child(int id, int nursery) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != nursery) return 0;  // it died before the line above
  ::prctl(PR_SET_NAME, fmt::format("leat-worker-{}", id).c_str());
  ::on_exit(leave_at_once, nullptr);
  channel_.reset();
  parent_.reset();
  return run_worker(job_, static_cast<std::size_t>(id)) ? 0 : kInitFailed;
}

// --- watching

// Blocks until there is something to do (false), or until the parent has closed its end or died (true).
bool NurseryProcess::told_to_end() {
  polled_.assign({{channel_.get(), POLLIN, 0}, {parent_.get(), POLLIN, 0}});
  for (const Worker& worker : workers_) polled_.push_back({worker.process.pidfd(), POLLIN, 0});
  while (::poll(polled_.data(), polled_.size(), poll_timeout()) < 0) {
    if (errno != EINTR) return true;
  }
  return polled_[0].revents != 0 || polled_[1].revents != 0;
}

int NurseryProcess::poll_timeout() const {
  milliseconds timeout = milliseconds::max();
  for (const Pending& pending : pending_) timeout = std::min(timeout, until(pending.when));
  if (options_.sample_timeout.count() > 0) {  // deadlines are kept to a quarter of the timeout
    const auto quarter = std::chrono::ceil<milliseconds>(options_.sample_timeout / 4);
    timeout = std::min(timeout, std::max(quarter, milliseconds(1)));
  }
  return gave_up_ || timeout == milliseconds::max() ? -1 : static_cast<int>(timeout.count());
}

void NurseryProcess::kill_overdue() {
  if (options_.sample_timeout.count() == 0) return;
  const auto timeout = static_cast<std::uint64_t>(options_.sample_timeout.count());
  for (Worker& worker : workers_) {
    const WorkerRecord& record = job_.table.worker_record(static_cast<std::size_t>(worker.id));
    const std::uint64_t since = record.busy_since.load();
    if (worker.overdue || since == 0 || steady_ns() - since < timeout) continue;
    worker.overdue = true;
    worker.process.kill(SIGKILL);
  }
}

// --- burying

void NurseryProcess::reap_ended() {
  for (std::size_t i = workers_.size(); i-- > 0;) {
    if (polled_.size() <= i + 2 || polled_[i + 2].revents == 0) continue;
    Worker ended = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    bury(std::move(ended));
  }
}

void NurseryProcess::bury(Worker worker) {
  const auto id = static_cast<std::size_t>(worker.id);
  const pid_t pid = worker.process.pid();
  const int status = worker.process.wait();
  if (status == 0 && job_.table.stopping()) return;
  const auto tell = [&](NurseryReport::Kind kind) { report({kind, worker.id, pid, status}); };
  job_.table.worker_record(id).pid.store(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kInitFailed &&
      job_.table.worker_failure(id).type[0] != '\0') {
    return tell(NurseryReport::Kind::init_failed);
  }
  const Ending ending = ending_of(worker, status);
  const bool harmless = ending.from_outside && is_idle(id);
  samples_blamed_ +=
      job_.table.reclaim(id, {ending.how, ending.from_outside ? kDeathsFromOutside : kDeathsOfItsOwn});
  if (!harmless && breaker_.died(samples_finished() + samples_blamed_)) {
    gave_up_ = true;
    return tell(NurseryReport::Kind::gave_up);
  }
  pending_.push_back({worker.id, Clock::now(), kFirstForkWait});
  tell(worker.overdue ? NurseryReport::Kind::overdue : NurseryReport::Kind::died);
}

// It has initialised, and holds nothing: its end says nothing about the samples, nor about the way workers start.
bool NurseryProcess::is_idle(std::size_t id) const {
  return job_.table.worker_record(id).up.load() && job_.table.held_by(id).empty();
}

// No decoder kills itself with SIGKILL: it comes from the deadline, from the kernel for want of memory, or from
// outside.
NurseryProcess::Ending NurseryProcess::ending_of(const Worker& worker, int status) {
  if (worker.overdue) {
    return {fmt::format("did not finish it within the sample timeout of {} s",
                        std::chrono::duration<double>(options_.sample_timeout).count()),
            false};
  }
  const std::uint64_t before = std::exchange(oom_kills_, oom_kills());
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) return {describe_wait_status(status), false};
  if (oom_kills_ == before) return {describe_wait_status(status), true};
  return {describe_wait_status(status) + " as the memory limit of its cgroup was reached", false};
}

std::uint64_t NurseryProcess::samples_finished() const {
  std::uint64_t sum = 0;
  for (int id = 0; id < options_.workers; ++id) {
    sum += job_.table.worker_record(static_cast<std::size_t>(id)).samples.load();
  }
  return sum;
}

// --- telling

void NurseryProcess::report(NurseryReport::Kind kind, const Worker& worker, int status) const {
  report({kind, worker.id, worker.process.pid(), status});
}

// A parent that does not listen for a while must not hold up the replacements: news may be lost then, final
// words are not. A parent that is gone is seen by poll.
void NurseryProcess::report(const NurseryReport& message) const {
  const int flags = MSG_NOSIGNAL | (message.final() ? 0 : MSG_DONTWAIT);
  ::send(channel_.get(), &message, sizeof message, flags);
}

void NurseryProcess::end_all() {
  pollfd parent{parent_.get(), POLLIN, 0};
  const bool orphaned = ::poll(&parent, 1, 0) > 0;
  const auto deadline = Clock::now() + (orphaned ? milliseconds(0) : kGrace);
  for (Worker& worker : workers_) worker.process.wait(until(deadline));
  workers_.clear();  // kills and reaps the rest
}

}  // namespace leat
