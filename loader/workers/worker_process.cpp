#include "leat/loader/workers/worker_process.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "leat/loader/os/futex.h"
#include "leat/loader/os/standard_output.h"

namespace leat::detail {

namespace {

constexpr std::chrono::milliseconds kStackPatience{50};
constexpr unsigned kUnwindingSeconds = 1;
constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10;
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Returns a signal that libraries are not known to use (timers and thread libraries use the lowest real-time
// signals).
int stack_signal() {
  return SIGRTMAX - 3;
}

// Where this process records its stack, if it is a worker; otherwise null.
std::atomic<StackTrace*> own_stack{nullptr};
std::atomic<int> crash{0};  // the signal of the crash whose stack is being recorded

bool is_worker_process() {
  return own_stack.load(std::memory_order_relaxed) != nullptr;
}

// Without this handler, exit() in a dataset's get() would run the exit handlers of the application in the worker.
void leave_at_once(int status, void*) {
  if (!is_worker_process()) return;
  finish_standard_output();
  ::_exit(status);
}

// --- signal handlers

// Records the stack when asked for it. A worker that is about to be killed because it is overdue then waits here for
// the kill. Otherwise it would continue, since the signal has interrupted what it was waiting for.
void tell_stack(int, siginfo_t* info, void*) {
  const int before = errno;
  note_stack(*own_stack.load(), __builtin_return_address(0));
  while (info->si_value.sival_int == static_cast<int>(StackQuestion::Then::wait_to_be_killed)) ::pause();
  errno = before;
}

// Runs if the unwinder does not return, because it waits for a lock or loops forever after the crash. Ends the
// process by the signal of the crash.
void give_up_unwinding(int) {
  ::signal(crash.load(), SIG_DFL);
  ::raise(crash.load());
}

// Records the stack of a crash. SA_RESETHAND has already restored the signal's default effect, so the process ends
// after this handler returns: the faulting instruction runs again, so that a core dump shows it. A signal that was
// sent (by abort() or kill(), for instance) is raised again for that purpose.
void note_crash(int signal, siginfo_t* info, void*) {
  crash.store(signal);
  struct sigaction alarm {};
  alarm.sa_handler = give_up_unwinding;
  alarm.sa_flags = SA_NODEFER;
  ::sigaction(SIGALRM, &alarm, nullptr);
  ::alarm(kUnwindingSeconds);
  note_stack(*own_stack.load(), __builtin_return_address(0));
  ::alarm(0);
  if (info->si_code <= 0) ::raise(signal);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

void install_handlers(StackTrace& trace) {
  static std::array<std::byte, kSignalStackBytes> memory;  // handlers need it if the stack has overflowed
  own_stack.store(&trace);
  const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  ::sigaltstack(&stack, nullptr);
  for (const int signal : kCrashes) handle(signal, note_crash, static_cast<int>(SA_RESETHAND));
  handle(stack_signal(), tell_stack, SA_RESTART);
}

// Returns whether a process has a handler for the signal. Without a handler, the signal would end the process.
bool catches(int pid, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::strtoull(line.c_str() + 7, nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return false;
}

int exit_status(WorkerEnd end) {
  switch (end) {
    case WorkerEnd::told:
      return 0;
    case WorkerEnd::init_failed:
      return kWorkerInitFailed;
    case WorkerEnd::lost_descriptor:
      return kWorkerLostDescriptor;
  }
  return 0;
}

}  // namespace

WorkerProcessSetup WorkerProcessSetup::prepare(const WorkerOptions& options) {
  prepare_stack_traces();
  flush_standard_output();
  // The handler is registered again for each pool. Exit handlers run in reverse order of registration, and this one
  // must run before those that the application has registered in the meantime. Each registration costs 32 bytes.
  ::on_exit(leave_at_once, nullptr);
  return {.libraries = options.worker_threads == 0 ? LibraryThreads() : LibraryThreads::find()};
}

int run_worker_process(const WorkerJob& job, const WorkerProcessSetup& setup, std::size_t worker,
                       int fork_server) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != fork_server) return 0;  // the fork server died before the call of prctl()
  ::prctl(PR_SET_NAME, fmt::format("leat-worker-{}", worker).c_str());
  WorkerRecord& record = job.table.worker_record(worker);
  install_handlers(record.stack);
  if (job.options.worker_threads > 0) setup.libraries.limit_to(job.options.worker_threads);
  const WorkerEnd end = run_worker(job, worker);
  record.lost_descriptor.store(end == WorkerEnd::lost_descriptor);
  finish_standard_output();
  return exit_status(end);
}

StackQuestion::StackQuestion(WorkerRecord& record, int pidfd, Then then)
    : record_(record),
      noted_before_(record.stack.noted.load()),
      deadline_(std::chrono::steady_clock::now() + kStackPatience) {
  const int pid = record.pid.load();
  siginfo_t info{};
  info.si_signo = stack_signal();
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(then);
  asked_ = pid != 0 && catches(pid, stack_signal()) &&
           ::syscall(SYS_pidfd_send_signal, pidfd, stack_signal(), &info, 0) == 0;
}

bool StackQuestion::wait_for_answer() {
  const auto answered = [this] { return record_.stack.noted.load() != noted_before_; };
  while (asked_ && !answered() && futex_wait_until(record_.stack.noted, noted_before_, deadline_)) {
  }
  if (answered()) return true;
  record_.stack.count = 0;
  return false;
}

}  // namespace leat::detail
