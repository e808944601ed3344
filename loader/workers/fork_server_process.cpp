#include "leat/loader/workers/fork_server_process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Cause = WorkerEnding::Cause;
using Kind = ForkServerReport::Kind;

constexpr milliseconds kGrace{1000};  // time to finish the sample in progress, before SIGKILL
constexpr milliseconds kFirstForkWait{1}, kLongestForkWait{500};
// Number of workers that die at one sample until it counts as bad; the second number applies if the last one was
// killed from outside, since two such kills may be bad luck.
constexpr std::uint8_t kDeathsOfItsOwn = 2, kDeathsFromOutside = 3;
// Number of failed starts of one worker in a row until the loader gives up: starts that ended by themselves, and
// starts that were killed from outside.
constexpr int kFailedStarts = 3, kKilledStarts = 12;
constexpr int kLooksPerTimeout = 4;

// Returns the time between two looks at workers that have such a timeout.
milliseconds look_interval(nanoseconds timeout) {
  const auto interval = std::chrono::ceil<milliseconds>(timeout / kLooksPerTimeout);
  return std::clamp(interval, milliseconds(1), milliseconds(std::chrono::hours(1)));
}

// Counts up to twice the look interval between two looks, because a look may come late on a busy machine.
ObservedTime observed(nanoseconds timeout) {
  return ObservedTime(static_cast<std::uint64_t>(nanoseconds(2 * look_interval(timeout)).count()));
}

std::atomic<bool> continued{false};  // whether SIGCONT came, which continues a stopped process

bool is_traced(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

}  // namespace

ForkServerProcess::ForkServerProcess(const WorkerJob& job, const WorkerProcessSetup& setup, UniqueFd channel,
                                     UniqueFd parent)
    : job_(job),
      setup_(setup),
      options_(job.options),
      channel_(std::move(channel)),
      parent_(std::move(parent)),
      breaker_(static_cast<std::size_t>(options_.num_workers)),
      oom_kills_(oom_kills()),
      failed_starts_(static_cast<std::size_t>(options_.num_workers)) {}

int ForkServerProcess::run() {
  ::prctl(PR_SET_NAME, "leat-forkserver");
  ::signal(SIGCONT, [](int) { continued.store(true); });
  for (std::size_t id = 0; id < failed_starts_.size(); ++id)
    pending_.push_back({id, Clock::now(), kFirstForkWait});
  do {
    start_due();
    reap_ended();
    watch_deadlines();
  } while (wait() == Wake::work);
  end_all();
  return 0;
}

// --- starting

void ForkServerProcess::start_due() {
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

bool ForkServerProcess::start(std::size_t id) {
  WorkerRecord& own = record(id);
  const pid_t fork_server = ::getpid();
  const auto worker = static_cast<std::int32_t>(id);
  try {
    own.busy_since.store(0);
    own.up.store(false);
    own.lost_descriptor.store(false);
    own.stack.count = 0;
    ChildProcess process = ChildProcess::run([&] { return run_child(id, fork_server); }, {SIGINT});
    own.pid.store(process.pid());
    const bool first = own.starts.fetch_add(1) == 0;
    workers_.push_back({.id = id,
                        .process = std::move(process),
                        .forked_ns = steady_ns(),
                        .in_sample = observed(options_.sample_timeout),
                        .in_init = observed(options_.init_timeout)});
    if (first) report({.kind = Kind::started, .worker = worker, .pid = workers_.back().process.pid()});
    return true;
  } catch (const SystemError& error) {
    job_.table.release_reopened(id);  // its chunks must not wait for a process that may not come
    report({.kind = Kind::fork_failed, .worker = worker, .error = error.code()});
    return false;
  }
}

int ForkServerProcess::run_child(std::size_t id, int fork_server) {
  channel_.reset();
  parent_.reset();
  return run_worker_process(job_, setup_, id, fork_server);
}

// --- watching

// Blocks until there is something to do, or until the parent has closed its end or died.
ForkServerProcess::Wake ForkServerProcess::wait() {
  polled_.assign({{channel_.get(), POLLIN, 0}, {parent_.get(), POLLIN, 0}});
  for (const Worker& worker : workers_) polled_.push_back({worker.process.pidfd(), POLLIN, 0});
  while (::poll(polled_.data(), polled_.size(), poll_timeout(next_look())) < 0) {
    if (errno != EINTR) return Wake::end;
  }
  if (polled_[1].revents != 0) return Wake::end;
  return polled_[0].revents != 0 ? hear() : Wake::work;
}

ForkServerProcess::Wake ForkServerProcess::hear() {
  char request = 0;
  const ssize_t size = ::recv(channel_.get(), &request, 1, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Wake::work;
  if (size != 1 || request != kStacksRequest) return Wake::end;
  note_stacks();
  return Wake::work;
}

// Returns when to look again if no event comes before: at the next start that is due, or to check timeouts.
PollDeadline ForkServerProcess::next_look() const {
  if (gave_up_) return std::nullopt;
  const auto now = Clock::now();
  PollDeadline next;
  const auto look_at = [&next](Clock::time_point when) { next = next ? std::min(*next, when) : when; };
  for (const Pending& pending : pending_) look_at(pending.when);
  if (options_.sample_timeout.count() > 0) look_at(now + look_interval(options_.sample_timeout));
  const bool initializing = std::any_of(workers_.begin(), workers_.end(),
                                        [&](const Worker& worker) { return !record(worker.id).up.load(); });
  if (options_.init_timeout.count() > 0 && initializing) look_at(now + look_interval(options_.init_timeout));
  return next;
}

void ForkServerProcess::watch_deadlines() {
  const std::uint64_t now = steady_ns();
  const bool was_stopped = continued.exchange(false);
  for (Worker& worker : workers_) {
    if (was_stopped) {
      worker.in_sample.excuse(now);
      worker.in_init.excuse(now);
    }
    if (worker.overdue_ns != 0) continue;
    if (const std::int64_t timeout = exceeded(worker, now)) kill_overdue(worker, timeout);
  }
}

// Returns the timeout that the worker has exceeded, in nanoseconds, or 0.
std::int64_t ForkServerProcess::exceeded(Worker& worker, std::uint64_t now) {
  const WorkerRecord& own = record(worker.id);
  const auto in_init = worker.in_init.look(own.up.load() ? 0 : worker.forked_ns, now);
  const auto in_sample = worker.in_sample.look(own.busy_since.load(), now);
  const auto longer = [](std::uint64_t observed, nanoseconds timeout) {
    return timeout.count() > 0 && observed >= static_cast<std::uint64_t>(timeout.count());
  };
  if (longer(in_init, options_.init_timeout)) return options_.init_timeout.count();
  return longer(in_sample, options_.sample_timeout) ? options_.sample_timeout.count() : 0;
}

// Kills a worker that has exceeded this timeout. A worker that a debugger traces is not killed; its time starts
// again.
void ForkServerProcess::kill_overdue(Worker& worker, std::int64_t timeout_ns) {
  const int pid = worker.process.pid();
  if (is_traced(pid)) {
    worker.in_sample = observed(options_.sample_timeout);
    worker.in_init = observed(options_.init_timeout);
    worker.in_sample.excuse(steady_ns());
    worker.in_init.excuse(steady_ns());
    return;
  }
  StackQuestion(record(worker.id), worker.process.pidfd(), StackQuestion::Then::wait_to_be_killed)
      .wait_for_answer();
  worker.overdue_ns = timeout_ns;
  worker.process.kill(SIGKILL);
}

void ForkServerProcess::note_stacks() {
  std::vector<StackQuestion> questions;
  for (const Worker& worker : workers_)
    questions.emplace_back(record(worker.id), worker.process.pidfd(), StackQuestion::Then::go_on);
  for (StackQuestion& question : questions) question.wait_for_answer();
  report({.kind = Kind::stacks});
}

// --- reaping

void ForkServerProcess::reap_ended() {
  for (std::size_t i = workers_.size(); i-- > 0;) {
    if (polled_.size() <= i + 2 || polled_[i + 2].revents == 0) continue;
    Worker ended = std::move(workers_[i]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    reap(std::move(ended));
  }
}

void ForkServerProcess::reap(Worker worker) {
  const std::size_t id = worker.id;
  ForkServerReport news{
      .kind = Kind::died, .worker = static_cast<std::int32_t>(id), .pid = worker.process.pid()};
  const int status = worker.process.wait();
  if (status == 0 && job_.table.stopping()) return;
  news.ending = ending_of(worker, status);
  record(id).pid.store(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kWorkerInitFailed &&
      job_.table.worker_failure(id).type[0] != '\0') {
    news.kind = Kind::init_failed;
    return report(news);
  }
  const bool from_outside = news.ending.cause == Cause::outside;
  const bool harmless = from_outside && is_idle(id);
  samples_blamed_ += job_.table.reclaim(id, {.how = news.ending.describe(),
                                             .limit = from_outside ? kDeathsFromOutside : kDeathsOfItsOwn,
                                             .stack = record(id).stack.frames()});
  if (starts_in_vain(id, news.ending)) {
    news.kind = Kind::start_failed;
  } else if (news.ending.up && !harmless && breaker_.died(samples_finished() + samples_blamed_)) {
    news.kind = Kind::gave_up;
  }
  if (news.final()) {
    gave_up_ = true;
  } else {
    pending_.push_back({id, Clock::now() + wait_before_start(id), kFirstForkWait});
  }
  report(news);
}

// Returns whether to give up on starting this worker. That does not depend on the other workers: if each of its
// processes ends before it has initialized, the worker will never load anything.
bool ForkServerProcess::starts_in_vain(std::size_t id, const WorkerEnding& ending) {
  FailedStarts& failed = failed_starts_[id];
  if (ending.up) {
    failed = {};
    return false;
  }
  if (ending.cause == Cause::outside) return ++failed.killed >= kKilledStarts;
  return ++failed.ended >= kFailedStarts || ending.cause == Cause::overdue;
}

// Waits longer after each kill from outside, so that a worker can start between the kills if they go on.
milliseconds ForkServerProcess::wait_before_start(std::size_t id) const {
  const int killed = failed_starts_[id].killed;
  return killed == 0 ? milliseconds(0) : std::min(kFirstForkWait * (1 << (killed - 1)), kLongestForkWait);
}

// Returns whether the worker has initialized and holds no chunk. Then its end says nothing about the samples, nor
// about the start of workers.
bool ForkServerProcess::is_idle(std::size_t id) const {
  return record(id).up.load() && job_.table.held_by(id).empty();
}

// No decoder kills itself with SIGKILL. That signal comes from this process after a timeout, from the kernel if
// memory is short, or from outside.
WorkerEnding ForkServerProcess::ending_of(const Worker& worker, int status) {
  const WorkerRecord& own = record(worker.id);
  WorkerEnding ending{.wait_status = status, .timeout_ns = worker.overdue_ns, .up = own.up.load()};
  if (worker.overdue_ns != 0) {
    ending.cause = Cause::overdue;
  } else if (own.lost_descriptor.load()) {
    ending.cause = Cause::lost_descriptor;
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    const std::uint64_t before = std::exchange(oom_kills_, oom_kills());
    ending.cause = oom_kills_ == before ? Cause::outside : Cause::memory;
  }
  return ending;
}

std::uint64_t ForkServerProcess::samples_finished() const {
  std::uint64_t sum = 0;
  for (std::size_t id = 0; id < failed_starts_.size(); ++id) sum += record(id).samples.load();
  return sum;
}

// --- telling and ending

// A parent that does not read for a while must not delay the replacements. So a report may be lost if the channel is
// full, except a final report, which is sent with blocking. wait() notices if the parent is gone.
void ForkServerProcess::report(const ForkServerReport& message) const {
  const int flags = MSG_NOSIGNAL | (message.final() ? 0 : MSG_DONTWAIT);
  ::send(channel_.get(), &message, sizeof message, flags);
}

// Gives the workers kGrace to end, and then kills them. The grace ends early if the parent is gone, because nobody
// waits for the samples then. When a parent is killed, its channel closes before its pidfd becomes readable, so the
// pidfd is still polled here.
void ForkServerProcess::end_all() {
  const auto deadline = Clock::now() + kGrace;
  while (!workers_.empty()) {
    std::vector<pollfd> polled{{parent_.get(), POLLIN, 0}};
    for (const Worker& worker : workers_) polled.push_back({worker.process.pidfd(), POLLIN, 0});
    const int ready = ::poll(polled.data(), polled.size(), poll_timeout(deadline));
    if (ready == 0 || polled[0].revents != 0 || (ready < 0 && errno != EINTR)) break;
    if (ready < 0) continue;
    for (std::size_t i = workers_.size(); i-- > 0;) {
      if (polled[i + 1].revents == 0) continue;
      workers_[i].process.wait();
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  workers_.clear();  // kills and reaps the rest
}

}  // namespace leat::detail
