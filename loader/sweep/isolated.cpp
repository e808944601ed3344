#include "leat/loader/sweep/isolated.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/os/standard_output.h"

namespace leat::detail {
namespace {

// The message through the pipe is one of these characters, followed by the text.
constexpr char kResult = 'R';
constexpr char kError = 'E';

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) throw_errno("handing a result to the parent process");
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

std::string answer_of(const std::function<std::string()>& body) {
  try {
    return kResult + body();
  } catch (const std::exception& error) {
    return kError + describe(error);
  }
}

// Appends the bytes that are in the pipe now, without waiting for more.
void drain(int fd, std::string& text) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) throw_errno("reading the result of a child process");
    if (count <= 0) return;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string run_isolated(const std::function<std::string()>& body, std::chrono::milliseconds interval,
                         const std::function<void(int pid)>& watch) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("pipe2 for the result of a child process");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  flush_standard_output();
  const pid_t parent = ::getpid();
  ChildProcess child = ChildProcess::run([&] {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) return 1;
    own_standard_output();
    write_all(writing.get(), answer_of(body));
    finish_standard_output();
    return 0;
  });
  writing.reset();
  if (::fcntl(reading.get(), F_SETFL, O_NONBLOCK) != 0) throw_errno("fcntl(O_NONBLOCK) of a pipe");

  std::string answer;
  // Wait for the end of the child, not for the end of the pipe: a process that the child left behind may keep the
  // pipe open.
  pollfd events[] = {{child.pidfd(), POLLIN, 0}, {reading.get(), POLLIN, 0}};
  while (events[0].revents == 0) {
    const int ready = ::poll(events, 2, static_cast<int>(interval.count()));
    if (ready < 0 && errno != EINTR) throw_errno("poll for the result of a child process");
    if (ready == 0) watch(child.pid());
    if (events[1].revents != 0) drain(reading.get(), answer);
    if (events[1].revents & POLLHUP) events[1].fd = -1;  // otherwise poll() would always return at once
  }
  drain(reading.get(), answer);
  const int status = child.wait();
  if (answer.empty())
    throw Error(fmt::format("a child process {} before it had a result", describe_wait_status(status)));
  if (answer[0] == kError) throw Error(answer.substr(1));
  return answer.substr(1);
}

std::string run_isolated(const std::function<std::string()>& body) {
  return run_isolated(body, std::chrono::milliseconds(-1), [](int) {});
}

}  // namespace leat::detail
