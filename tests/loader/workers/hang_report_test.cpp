// Who hangs or crashes says where.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/workers/worker_process.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::HookedDataset;

using namespace std::chrono_literals;

struct Gate {
  SharedMemory memory{"a gate", sizeof(std::atomic<int>)};
  std::atomic<int>& open = *reinterpret_cast<std::atomic<int>*>(memory.bytes().data());
};

[[gnu::noinline]] void wait_at(const Gate& gate) {
  while (gate.open.load() == 0) ::usleep(1000);
}

[[gnu::noinline]] void crash_in_the_decoder() {
  ::raise(SIGSEGV);
  asm volatile("");  // so that the call above is no tail call, which would leave no frame of this function
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a long wait tells what each worker is doing, and where", "[process]") {
  const Gate gate;
  const HookedDataset dataset(40, [&](std::size_t index) {
    if (index == 5) wait_at(gate);
  });
  std::string warned;
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 2,
                              .stall_warning = 100ms,
                              .reorder_bytes = 0,
                              .on_warning = [&](const std::string& text) {
                                if (!contains(text, "has waited")) return;
                                warned = text;
                                gate.open.store(1);
                              }});
  std::size_t rows = 0;
  while (const auto batch = loader.next()) rows += batch->size();
  INFO(warned);
  CHECK(rows == 40);
  CHECK(contains(warned, "next() has waited for a batch for "));
  CHECK(contains(warned, "has been at sample 5 for"));
  CHECK(contains(warned, "waits for work"));
  CHECK(contains(warned, "sleeps"));
  CHECK(contains(warned, "#0 "));
  CHECK((contains(warned, "wait_at") || contains(warned, "loader_tests+0x")));
}

TEST_CASE("thread workers that are waited for are named, too, long before a timeout") {
  const auto timeout = GENERATE(0s, 120s);
  std::atomic<bool> open{false};
  const HookedDataset dataset(40, [&](std::size_t index) {
    while (index == 5 && !open) std::this_thread::yield();
  });
  std::string warned;
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 2,
                              .worker_kind = WorkerKind::threads,
                              .timeout = timeout,
                              .stall_warning = 50ms,
                              .reorder_bytes = 0,
                              .on_warning = [&](const std::string& text) {
                                warned += text;
                                open = true;
                              }});
  while (loader.next()) {
  }
  CHECK(contains(warned, "has been at sample 5 for"));
}

TEST_CASE("a process that has no handler for the question yet is not asked for its stack", "[process]") {
  const Gate gate;
  ChildProcess child = ChildProcess::run([&] {
    wait_at(gate);
    return 7;
  });
  WorkerRecord record;
  record.pid.store(child.pid());
  CHECK_FALSE(StackQuestion(record, child.pidfd(), StackQuestion::Then::go_on).wait_for_answer());
  gate.open.store(1);
  const int status = child.wait();
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a timeout tells what the workers are doing, and the batch may be asked for again", "[process]") {
  const Gate gate;
  const HookedDataset dataset(8, [&](std::size_t index) {
    if (index == 1) wait_at(gate);
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 1, .timeout = 1s, .stall_warning = 0s});
  test::expect_error<TimeoutError>([&] { loader.next(); },
                                   {"within the timeout of 1 s", "worker 0", "sample 1", "#0 "});
  gate.open.store(1);
  CHECK(loader.next()->size() == 4);
}

TEST_CASE("a sample that ends workers is reported with its name and the place of the crash", "[process]") {
  const HookedDataset dataset(12, [](std::size_t index) {
    if (index == 6) crash_in_the_decoder();
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2, .on_warning = [](const std::string&) {}});
  CHECK(loader.next());
  try {
    loader.next();
    FAIL("nothing was thrown");
  } catch (const SampleError& error) {
    INFO(error.what());
    CHECK(error.origin().index == 6);
    CHECK(error.origin().source == "number 6");
    CHECK(contains(error.origin().text, "signal 11"));
    CHECK((contains(error.origin().stack, "crash_in_the_decoder") ||
           contains(error.origin().stack, "loader_tests+0x")));
    CHECK(contains(error.what(), "gdb with num_workers = 0"));
  }
  CHECK(loader.next());
}

TEST_CASE("a hang that is ended by the deadline is reported with its place", "[process]") {
  const Gate never;
  const HookedDataset dataset(12, [&](std::size_t index) {
    if (index == 6) wait_at(never);
  });
  DataLoader loader(
      dataset,
      {.batch_size = 4, .num_workers = 2, .sample_timeout = 200ms, .on_warning = [](const std::string&) {}});
  CHECK(loader.next());
  test::expect_error<SampleError>([&] { loader.next(); },
                                  {"sample 6 (number 6)", "sample_timeout of 0.2 s", "#0 "});
  CHECK(loader.next());
}

TEST_CASE("a stack that overflows is reported like any crash", "[process]") {
  class Deep {
   public:
    static int dive(int depth) {
      volatile char space[4096] = {};
      space[depth % 4096] = static_cast<char>(depth);
      return depth < 1'000'000'000 ? dive(depth + 1) + space[0] : 0;
    }
  };
  const HookedDataset dataset(8, [](std::size_t index) {
    if (index == 2) Deep::dive(0);
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 1, .on_warning = [](const std::string&) {}});
  test::expect_error<SampleError>([&] { loader.next(); }, {"sample 2", "signal 11", "#0 "});
  CHECK(loader.next());
}

// describe() of sample 5 ends the process, and get() throws for it.
class CrashingDescription final : public test::ArithmeticDataset {
 public:
  CrashingDescription() : ArithmeticDataset(16) {}
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    if (index == 5) throw std::runtime_error("five");
    ArithmeticDataset::get(index, rng, out);
  }
  std::string describe(std::size_t index) const override {
    if (index == 5) ::raise(SIGSEGV);
    return ArithmeticDataset::describe(index);
  }
};

TEST_CASE("a describe() that crashes ends a worker, and not the program", "[process]") {
  ChildProcess program = ChildProcess::run([] {
    const CrashingDescription dataset;
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2, .on_warning = [](const std::string&) {}});
    std::size_t rows = 0, errors = 0;
    for (;;) {
      try {
        const auto batch = loader.next();
        if (!batch) break;
        rows += batch->size();
      } catch (const SampleError& error) {
        errors += error.origin().index == 5 && contains(error.what(), "signal 11") ? 1 : 100;
      }
    }
    return rows == 12 && errors == 1 ? 0 : 1;
  });
  CHECK(program.wait() == 0);
}

TEST_CASE("an exception whose what() is null is reported", "[process]") {
  class Silent final : public std::exception {
   public:
    const char* what() const noexcept override { return nullptr; }
  };
  for (const int workers : {0, 1}) {
    const HookedDataset dataset(4, [](std::size_t index) {
      if (index == 2) throw Silent();
    });
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = workers});
    test::expect_error<SampleError>([&] { loader.next(); }, {"sample 2", "Silent", "null"});
  }
}

TEST_CASE("a worker_init_fn that hangs is an error after its timeout", "[process]") {
  const test::ArithmeticDataset dataset(8);
  const Gate never;
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 2,
                              .init_timeout = 300ms,
                              .worker_init_fn = [&](int) { wait_at(never); },
                              .on_warning = [](const std::string&) {}});
  test::expect_error<WorkerInitError>([&] { loader.next(); },
                                      {"worker_init_fn took longer than the init_timeout of 0.3 s", "#0 "});
  test::expect_error<WorkerInitError>([&] { loader.next(); }, {"init_timeout"});
}

// Stops or continues this process's children and their children.
void signal_tree(int signal, int parent) {
  const std::string path =
      "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
  std::ifstream children(path);
  for (int child = 0; children >> child;) {
    ::kill(child, signal);
    signal_tree(signal, child);
  }
}

TEST_CASE("workers that are stopped together with the fork server are not overdue when they go on",
          "[process]") {
  const Gate gate;
  const HookedDataset dataset(12, [&](std::size_t index) {
    if (index == 3) wait_at(gate);
  });
  std::string warned;
  DataLoader loader(dataset, {.batch_size = 12,
                              .num_workers = 1,
                              .sample_timeout = 600ms,
                              .on_warning = [&](const std::string& text) { warned += text; }});
  const std::vector<int> pids = loader.worker_pids();
  std::jthread terminal([&] {
    std::this_thread::sleep_for(100ms);  // the passing of time is what is tested
    for (int stop = 0; stop < 3; ++stop) {
      signal_tree(SIGSTOP, ::getpid());
      std::this_thread::sleep_for(800ms);
      signal_tree(SIGCONT, ::getpid());
    }
    gate.open.store(1);
  });
  CHECK(loader.next()->size() == 12);
  CHECK(loader.worker_pids() == pids);
  CHECK(warned.empty());
}

TEST_CASE("a worker that a debugger holds is not killed for being slow", "[process]") {
  const Gate gate;
  const HookedDataset dataset(4, [&](std::size_t index) {
    if (index == 1) wait_at(gate);
  });
  DataLoader loader(
      dataset,
      {.batch_size = 4, .num_workers = 1, .sample_timeout = 300ms, .on_warning = [](const std::string&) {}});
  const int worker = loader.worker_pids().at(0);
  if (::ptrace(PTRACE_SEIZE, worker, nullptr, nullptr) != 0) {
    WARN("SKIPPED: this process may not trace others");
    return;
  }
  REQUIRE(::ptrace(PTRACE_INTERRUPT, worker, nullptr, nullptr) == 0);
  int status = 0;
  REQUIRE(::waitpid(worker, &status, __WALL) == worker);
  std::this_thread::sleep_for(1s);  // the passing of time is what is tested
  CHECK(loader.worker_pids() == std::vector<int>{worker});
  gate.open.store(1);
  REQUIRE(::ptrace(PTRACE_DETACH, worker, nullptr, nullptr) == 0);
  CHECK(loader.next()->size() == 4);
  CHECK(loader.stats().restarts == 0);
}

}  // namespace
}  // namespace leat
