// leat-run as a user starts it.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/child_process.h"
#include "leat/parallel/store/deadline.h"
#include "tests/support/expect_error.h"
#include "tools/common/command_line.h"
#include "tools/run/gpu_list.h"
#include "tools/run/output.h"

namespace {

using namespace leat::detail;
using namespace leat::tools;
using namespace std::chrono_literals;
using leat::test::expect_error;

const std::string kRun = LEAT_RUN;

// A command of a shell in the background, with standard output and standard error in one pipe.
class Job {
 public:
  explicit Job(const std::string& command) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    output_ = UniqueFd(ends[0]);
    const UniqueFd input(ends[1]);
    process_.emplace(ChildProcess::run([&] {
      ::dup2(input.get(), 1);
      ::dup2(input.get(), 2);
      return ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    }));
  }

  void signal(int signal) const { process_->kill(signal); }
  bool ends_soon() { return process_->wait(20s).has_value(); }

  // Reads until the text is there, `times` times.
  const std::string& read_until(const std::string& text, int times = 1) {
    const auto found = [&] {
      int count = 0;
      for (std::size_t at = 0; (at = text_.find(text, at)) != std::string::npos; ++at) ++count;
      return count >= times;
    };
    const Deadline deadline(30s);
    while (!found() && read_more(deadline)) {
    }
    INFO(text_);
    REQUIRE(found());
    return text_;
  }

  // Reads to the end, and returns how the job ended: its exit status, or 128 + a signal.
  int wait() {
    const Deadline deadline(30s);
    while (read_more(deadline)) {
    }
    INFO(text_);
    const auto status = process_->wait(deadline.left());
    REQUIRE(status.has_value());
    return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
  }

  // Waits until the pipe is full, since nobody reads it.
  void wait_until_full() const {
    const Deadline deadline(30s);
    const int size = ::fcntl(output_.get(), F_GETPIPE_SZ);
    int filled = 0;
    while (filled + PIPE_BUF <= size && !deadline.passed()) {
      ::poll(nullptr, 0, 1);  // nothing tells the reader of a pipe that it is full
      REQUIRE(::ioctl(output_.get(), FIONREAD, &filled) == 0);
    }
    REQUIRE(filled + PIPE_BUF > size);
  }

  const std::string& text() const { return text_; }

  bool says(const std::string& part) const {
    INFO(text_);
    return text_.find(part) != std::string::npos;
  }

 private:
  bool read_more(const Deadline& deadline) {
    pollfd entry{.fd = output_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, deadline.poll_timeout()) <= 0) return false;
    std::array<char, 1 << 16> bytes;
    const ssize_t got = ::read(output_.get(), bytes.data(), bytes.size());
    if (got > 0) text_.append(bytes.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  UniqueFd output_;
  std::string text_;
  std::optional<ChildProcess> process_;
};

// The number after `name` in a text: "pid=123".
pid_t number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  REQUIRE(at != std::string::npos);
  return std::stoi(text.substr(at + name.size()));
}

bool ends_soon(pid_t pid) {
  if (::kill(pid, 0) != 0) return true;
  const UniqueFd process = open_pidfd(pid);
  pollfd entry{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 20'000) == 1;
}

std::string ranks(int number, const std::string& script, const std::string& options = {}) {
  return kRun + " -n " + std::to_string(number) + " " + options + " sh -c '" + script + "'";
}

TEST_CASE("each rank gets torchrun's variables, a secret and its share of the CPUs", "[process]") {
  Job job("env -u OMP_NUM_THREADS -u LEAT_JOB_SECRET TORCHELASTIC_USE_AGENT_STORE=True LEAT_MASTER_PORT=7 " +
          ranks(3,
                "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR $LEAT_LAUNCHER "
                "$LEAT_RESTART_COUNT \"<$TORCHELASTIC_USE_AGENT_STORE$LEAT_MASTER_PORT>\" $OMP_NUM_THREADS "
                "s=$MASTER_PORT.${#LEAT_JOB_SECRET}.$LEAT_RUN_ID=s"));
  REQUIRE(job.wait() == 0);
  for (const std::string rank : {"0", "1", "2"}) {
    CHECK(job.says("[" + rank + "] " + rank + " " + rank + " 3 3 127.0.0.1 leat-run 0 <> "));
  }
  const std::string shared =
      job.text().substr(job.text().find("s="), job.text().find("=s") - job.text().find("s="));
  job.read_until(shared, 3);
  CHECK(shared.find(".64.") != std::string::npos);
  Job kept("env OMP_NUM_THREADS=7 LEAT_JOB_SECRET=0123456789abcdef " +
           ranks(1, "echo $OMP_NUM_THREADS $LEAT_JOB_SECRET"));
  CHECK(kept.wait() == 0);
  CHECK(kept.text() == "[0] 7 0123456789abcdef\n");
}

TEST_CASE("arguments reach the program as they are", "[process]") {
  Job job(kRun + " -n1 printf '<%s>' '[1,2]' -n --help '' 'a b' --ranks=4 -- '*'");
  CHECK(job.wait() == 0);
  CHECK(job.text() == "[0] <[1,2]><-n><--help><><a b><--ranks=4><--><*>\n");
  Job marked(kRun + " --ranks 1 -- echo --gpus x");
  CHECK(marked.wait() == 0);
  CHECK(marked.text() == "[0] --gpus x\n");
}

TEST_CASE("each rank sees a GPU of its own", "[process]") {
  Job job("env CUDA_VISIBLE_DEVICES=4,5,GPU-ab " + kRun +
          " --gpus 2,0 sh -c 'echo $RANK: $CUDA_VISIBLE_DEVICES'");
  CHECK(job.wait() == 0);
  CHECK(job.says("[0] 0: GPU-ab\n"));
  CHECK(job.says("[1] 1: 4\n"));
  using Gpus = std::vector<std::string>;
  CHECK(parse_gpu_list("0,2-4", std::nullopt) == Gpus{"0", "2", "3", "4"});
  CHECK(parse_gpu_list("GPU-8932f937,MIG-5f", "0") == Gpus{"GPU-8932f937", "MIG-5f"});
  CHECK(parse_gpu_list("1", "7,3") == Gpus{"3"});
  for (const std::string bad : {"", "a", "1,", "-1", "2-1", "0-99999", "1-", "gpu-1"}) {
    expect_error<UsageError>([&] { parse_gpu_list(bad, std::nullopt); }, {"--gpus " + bad, "no GPU"});
  }
  expect_error<UsageError>([] { parse_gpu_list("1-2,2", std::nullopt); }, {"2 is named twice"});
  expect_error<UsageError>([] { parse_gpu_list("0,1", "7"); },
                           {"no GPU 1", "CUDA_VISIBLE_DEVICES=7", "shows 1"});
  expect_error<UsageError>([] { parse_gpu_list("0", ""); }, {"no GPU 0", "shows 0"});
}

TEST_CASE("wrong command lines of leat-run end with one line and code 2", "[process]") {
  for (const std::string& command :
       {kRun, kRun + " -n 0 true", kRun + " -n 257 true", kRun + " --color red true",
        kRun + " -n 2 --gpus 0 true", kRun + " --restarts -1 true", kRun + " --timeout nan true",
        kRun + " -n 2 /nowhere/at/all", kRun + " /tmp", kRun + " -n"}) {
    Job job(command);
    CHECK(job.wait() == 2);
    INFO(job.text());
    CHECK(std::ranges::count(job.text(), '\n') == 1);
    CHECK(job.text().starts_with("leat-run: "));
  }
}

TEST_CASE("the first rank that fails ends the others and is told with its last lines", "[process]") {
  const auto start = std::chrono::steady_clock::now();
  Job job(ranks(3,
                "if [ $RANK = 1 ]; then for i in $(seq 30); do echo line $i; done; echo why >&2; exit 7; fi; "
                "exec sleep 100"));
  CHECK(job.wait() == 7);
  CHECK(std::chrono::steady_clock::now() - start < 20s);
  INFO(job.text());
  const std::size_t report =
      job.text().find("leat-run: rank 1 failed first: it ended with exit status 7; the last 20 lines");
  REQUIRE(report != std::string::npos);
  const std::string lines = job.text().substr(report);
  CHECK(std::ranges::count(lines, '\n') == 21);
  CHECK(lines.find("  [1] why\n") != std::string::npos);
  CHECK(lines.find("line 30") != std::string::npos);
  CHECK(lines.find("line 1\n") == std::string::npos);
}

TEST_CASE("a rank that a signal killed gives 128 and the signal, one that ignores SIGTERM is killed",
          "[process]") {
  Job job(ranks(
      2, "trap \"\" TERM; echo ready; if [ $RANK = 1 ]; then kill -SEGV $$; fi; while :; do sleep 1; done",
      "--grace 0.2"));
  CHECK(job.wait() == 128 + SIGSEGV);
  CHECK(job.says("rank 1 was killed by signal 11 (Segmentation fault); the other ranks are ended"));
  CHECK(job.says("rank 0 has not ended within 200 ms of SIGTERM and is killed"));
}

TEST_CASE("a stopped rank is ended with the others", "[process]") {
  Job job(ranks(2, "if [ $RANK = 0 ]; then kill -STOP $$; fi; sleep 0.1; exit 3", "--grace 10"));
  CHECK(job.wait() == 3);
  CHECK_FALSE(job.says("is killed"));
}

TEST_CASE("a signal is forwarded once, and the second one kills", "[process]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Job job(
        ranks(2, "trap \"echo saved; exit 0\" INT TERM HUP QUIT; echo ready; while :; do sleep 0.05; done"));
    job.read_until("ready", 2);
    job.signal(signal);
    CHECK(job.wait() == 0);
    job.read_until("] saved", 2);
    CHECK(job.says("is forwarded to the ranks; a second one kills them"));
  }
  Job deaf(ranks(2, "trap \"\" INT TERM; echo ready; while :; do sleep 0.05; done"));
  deaf.read_until("ready", 2);
  deaf.signal(SIGINT);
  deaf.read_until("is forwarded");
  deaf.signal(SIGTERM);
  CHECK(deaf.wait() == 128 + SIGKILL);
  Job plain(ranks(2, "echo ready; exec sleep 100", "--restarts 5"));
  plain.read_until("ready", 2);
  plain.signal(SIGTERM);
  CHECK(plain.wait() == 128 + SIGTERM);
  CHECK_FALSE(plain.says("started again"));
}

TEST_CASE("SIGUSR1 is forwarded and ends nothing", "[process]") {
  Job job(ranks(2, "trap \"echo noted; exit 0\" USR1; echo ready; while :; do sleep 0.05; done"));
  job.read_until("ready", 2);
  job.signal(SIGUSR1);
  CHECK(job.wait() == 0);
  job.read_until("] noted", 2);
}

TEST_CASE("signals that leat-run was started to ignore stay ignored, others are the default", "[process]") {
  Job ignoring("sh -c 'trap \"\" HUP; exec " + kRun + " sh -c \"kill -HUP \\$\\$; echo alive\"'");
  CHECK(ignoring.wait() == 0);
  CHECK(ignoring.text() == "[0] alive\n");
  Job open(kRun + " sh -c 'grep -E \"Sig(Blk|Ign)\" /proc/self/status'");
  CHECK(open.wait() == 0);
  for (const std::string kind : {"SigBlk", "SigIgn"})
    CHECK(open.says("[0] " + kind + ":\t0000000000000000\n"));
}

TEST_CASE("a leat-run that is ended while it starts leaves no rank behind", "[process]") {
  for (int i = 0; i < 30; ++i) {
    Job job(ranks(4, "exec sleep 1000"));
    if (i % 3 == 1) ::usleep(static_cast<useconds_t>(i) * 500);  // another moment of its start each time
    job.signal(i % 2 == 0 ? SIGTERM : SIGKILL);
    job.wait();  // the pipe ends when all its writers have, the ranks included
  }
}

TEST_CASE("ranks are killed with leat-run", "[process]") {
  Job job(ranks(2, "trap \"\" TERM INT; echo pid$RANK=$$; while :; do sleep 0.05; done"));
  job.read_until("pid0=");
  const std::string text = job.read_until("pid1=");
  job.read_until("\n", 2);
  const pid_t first = number_after(job.text(), "pid0="), second = number_after(job.text(), "pid1=");
  job.signal(SIGKILL);
  CHECK(ends_soon(first));
  CHECK(ends_soon(second));
}

TEST_CASE("processes that a rank leaves behind are not waited for, and are killed if a rank failed",
          "[process]") {
  for (const std::string code : {"0", "5"}) {
    Job job(ranks(2, "sleep 1000 & echo left$RANK=$!; exit " + code));
    CHECK(job.wait() == std::stoi(code));
    INFO(job.text());
    if (code == "0") {
      CHECK(job.says("rank 1 has left processes behind"));
      for (const char* name : {"left0=", "left1="}) ::kill(number_after(job.text(), name), SIGKILL);
    } else if (job.says("left0=")) {
      CHECK(ends_soon(number_after(job.text(), "left0=")));
    }
  }
}

TEST_CASE("all ranks are started again as often as --restarts allows", "[process]") {
  Job job(
      ranks(2, "echo attempt $LEAT_RESTART_COUNT; test $LEAT_RESTART_COUNT = 2 || exit 4", "--restarts 3"));
  CHECK(job.wait() == 0);
  CHECK(job.says("restart 2 of 3"));
  CHECK_FALSE(job.says("restart 3 of 3"));
  CHECK(job.says("] attempt 2"));
  Job hopeless(ranks(1, "exit 4", "--restarts 2"));
  CHECK(hopeless.wait() == 4);
  CHECK(hopeless.says("restart 2 of 2"));
}

TEST_CASE("a job beyond its time is ended with code 124", "[process]") {
  Job job(ranks(2, "trap \"\" TERM; while :; do sleep 0.05; done", "--timeout 0.3 --grace 0.1 --restarts 9"));
  CHECK(job.wait() == 124);
  CHECK(job.says("--timeout"));
  Job hasty(ranks(2, "trap \"\" TERM; while :; do sleep 0.05; done", "--timeout 0.3 --grace 0"));
  CHECK(hasty.wait() == 124);
  const std::string kill_of_0 = "rank 0 has not ended";
  const std::size_t first = hasty.text().find(kill_of_0);
  REQUIRE(first != std::string::npos);
  CHECK(hasty.text().find(kill_of_0, first + 1) == std::string::npos);
}

TEST_CASE("output comes whole, in lines that are not mixed", "[process]") {
  Job job(
      ranks(
          4,
          "i=0; while [ $i -lt 2000 ]; do echo $RANK.$i.abcdefghijklmnopqrstuvwxyz.$RANK; i=$((i+1)); done") +
      " | sort | uniq -c | wc -l");
  CHECK(job.wait() == 0);
  CHECK(std::stoi(job.text()) == 8000);
  Job unended(kRun + " printf 'a\\r\\nb\\rc'");
  CHECK(unended.wait() == 0);
  CHECK(unended.text() == "[0] a\r\n[0] b\r[0] c\n");
  Job long_line(kRun + " head -c 200000 /dev/zero");
  CHECK(long_line.wait() == 0);
  CHECK(std::ranges::count(long_line.text(), '\n') == 4);
  CHECK(std::ranges::count(long_line.text(), '\0') == 200'000);
}

TEST_CASE("ranks end when nobody reads the output any more", "[process]") {
  Job job("sh -c '" + kRun + " -n 2 --grace 1 yes 2>&3 | head -n 1' 3>&1");
  job.wait();
  CHECK(job.says("[0] y\n") != job.says("[1] y\n"));
  CHECK(job.says("writing to standard output"));
}

TEST_CASE("a reader that stops does not keep leat-run from ending its ranks", "[process]") {
  Job job(ranks(1, "echo pid=$$; exec yes"));
  const pid_t writer = number_after(job.read_until("y\n"), "pid=");
  job.wait_until_full();
  job.signal(SIGTERM);
  job.signal(SIGTERM);
  CHECK(ends_soon(writer));
  job.wait();
}

// Ends when leat-run has read all but the last 32 KiB, with exit status 3, while nobody reads leat-run's output.
constexpr int kUnreadBytes = (std::size_t{1} << 20) + (std::size_t{96} << 10);
const std::string kUnread = "echo pid=$$; head -c " + std::to_string(kUnreadBytes) + " /dev/zero; exit 3";

TEST_CASE("a slow reader gets all output of ranks that have ended", "[process]") {
  Job job(ranks(1, kUnread));
  const pid_t rank = number_after(job.read_until("\n"), "pid=");
  job.wait_until_full();
  REQUIRE(ends_soon(rank));
  std::this_thread::sleep_for(
      1500ms);  // longer than leat-run waits for processes that a rank has left behind
  CHECK(job.wait() == 3);
  CHECK(std::ranges::count(job.text(), '\0') >= kUnreadBytes);
}

TEST_CASE("a signal ends leat-run although nobody reads the rest of the output", "[process]") {
  Job job(ranks(1, kUnread, "--restarts 5"));
  const pid_t rank = number_after(job.read_until("\n"), "pid=");
  job.wait_until_full();
  REQUIRE(ends_soon(rank));
  job.signal(SIGTERM);
  CHECK(job.ends_soon());
  CHECK_FALSE(job.says("restart 1 of 5"));
}

TEST_CASE("ranks read nothing from standard input", "[process]") {
  Job job("sh -c 'echo secret | " + kRun + " -n 2 wc -c'");
  CHECK(job.wait() == 0);
  CHECK(job.says("[0] 0\n"));
  CHECK(job.says("[1] 0\n"));
}

}  // namespace
