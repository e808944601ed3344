// Workers that start in a program with threads, libraries, few descriptors, and unwritten output.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/errors.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/os/child_process.h"
#include "leat/loader/os/library_threads.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/parallel_sum.h"
#include "tests/support/expect_error.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temporary_folder.h"

extern "C" int __cxa_atexit(void (*)(void*), void*, void*);
extern "C" void __cxa_finalize(void*);

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::HookedDataset;

using namespace std::chrono_literals;

void quiet(const std::string&) {}

std::size_t load_all(DataLoader& loader) {
  std::size_t rows = 0;
  while (const auto batch = loader.next()) rows += batch->size();
  return rows;
}

// A program's exit status, or -1 if it took too long.
int status_of(const std::function<int()>& program) {
  return ChildProcess::run(program).wait(60s).value_or(-1);
}

TEST_CASE("a parallel loop in get() runs in workers, though the program has run one before", "[process]") {
  if (!test::has_openmp()) {
    WARN("SKIPPED: the compiler has no OpenMP");
    return;
  }
  for (const WorkerKind kind : {WorkerKind::processes, WorkerKind::threads}) {
    INFO("kind " << static_cast<int>(kind));
    CHECK(
        status_of([kind] {
          if (test::parallel_sum(100000) != test::serial_sum(100000)) return 1;
          const HookedDataset dataset(60, [](std::size_t index) {
            if (test::parallel_sum(1000 + index) != test::serial_sum(1000 + index))
              throw std::runtime_error("wrong sum");
            if (test::parallel_threads() != 1) throw std::runtime_error("more than one thread");
          });
          DataLoader loader(
              dataset,
              {.batch_size = 4, .num_workers = 2, .worker_kind = kind, .timeout = 20s, .on_warning = quiet});
          if (load_all(loader) != 60) return 2;
          // And the program's own loops go on as before.
          return test::parallel_sum(100000) == test::serial_sum(100000) ? 0 : 3;
        }) == 0);
  }
}

TEST_CASE("libraries with thread pools are found where they are loaded") {
  const std::vector<std::string> names = LibraryThreads::find().names();
  bool openmp = false;
  for (const std::string& name : names) openmp = openmp || name.starts_with("omp_set_num_threads of ");
  CHECK(openmp == test::has_openmp());
}

TEST_CASE("worker_threads must not be negative") {
  const ArithmeticDataset dataset(4);
  test::expect_error<ArgumentError>([&] { DataLoader(dataset, {.worker_threads = -1}); },
                                    {"worker_threads", "-1"});
}

TEST_CASE("signals that the program handles do not disturb the start of workers", "[process]") {
  CHECK(status_of([] {
          struct sigaction action {};
          action.sa_handler = [](int) {};
          ::sigaction(SIGALRM, &action, nullptr);
          const itimerval often{.it_interval = {0, 500}, .it_value = {0, 500}};
          ::setitimer(ITIMER_REAL, &often, nullptr);
          const ArithmeticDataset dataset(20);
          for (int i = 0; i < 20; ++i) {
            DataLoader loader(dataset, {.batch_size = 10, .num_workers = 2, .on_warning = quiet});
            if (load_all(loader) != 20) return 1;
          }
          return 0;
        }) == 0);
}

TEST_CASE("with few descriptors there are fewer workers, or an error, but no waiting", "[process]") {
  if (test::has_address_sanitizer()) {
    WARN("SKIPPED: UBSan itself needs descriptors");
    return;
  }
  for (int left = 0; left <= 24; ++left) {
    INFO(left << " descriptors are left");
    const int status = status_of([left] {
      constexpr rlim_t kLimit = 128;
      const rlimit limit{kLimit, kLimit};
      if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
      std::vector<int> taken;
      for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken.push_back(fd);
      for (int i = 0; i < left; ++i) {
        ::close(taken.back());
        taken.pop_back();
      }
      const ArithmeticDataset dataset(100);
      try {
        DataLoader loader(dataset, {.batch_size = 10, .num_workers = 8, .timeout = 10s, .on_warning = quiet});
        return load_all(loader) == 100 ? 0 : 2;
      } catch (const SystemError& error) {
        return error.code() == EMFILE ? 0 : 3;
      }
    });
    CHECK(status == 0);
  }
}

TEST_CASE("where threads cannot be made there are fewer workers, or an error", "[process]") {
  if (::getuid() != 0) {
    WARN("SKIPPED: needs root, to become a user with a limit of processes");
    return;
  }
  const auto load_with_threads = [](rlim_t threads) {
    return WEXITSTATUS(status_of([threads] {
      const rlimit limit{threads, threads};
      if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || ::setresuid(54322, 54322, 54322) != 0) return 4;
      const ArithmeticDataset dataset(60);
      std::string warned;
      try {
        DataLoader loader(dataset, {.batch_size = 4,
                                    .num_workers = 4,
                                    .worker_kind = WorkerKind::threads,
                                    .on_warning = [&](const std::string& text) { warned += text; }});
        if (load_all(loader) != 60) return 5;
        return warned.find("only 2 of 4 worker threads") != std::string::npos ? 0 : 6;
      } catch (const SystemError&) {
        return 2;
      }
    }));
  };
  CHECK(load_with_threads(3) == 0);  // itself and two workers
  CHECK(load_with_threads(1) == 2);
}

TEST_CASE("memory that a limit of the process refuses is an error that names the limit", "[process]") {
  const auto refused_by = [](auto resource, const char* name) {
    return status_of([=] {
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;  // of addresses
      const rlim_t bytes = (resource == RLIMIT_AS ? pages * page_size() : 0) + (256 << 20);
      const rlimit limit{bytes, bytes};
      if (::setrlimit(resource, &limit) != 0) return 1;
      const ArithmeticDataset dataset(1000);
      try {
        DataLoader loader(dataset, {.batch_size = 10'000'000, .num_workers = 2, .on_warning = quiet});
        return 2;
      } catch (const MemoryError& error) {
        const std::string text = error.what();
        return text.find(name) != std::string::npos && text.find("of 10000000 rows") != std::string::npos ? 0
                                                                                                          : 3;
      }
    });
  };
  CHECK(refused_by(RLIMIT_FSIZE, "RLIMIT_FSIZE") == 0);
  CHECK(refused_by(RLIMIT_AS, "RLIMIT_AS") == 0);
}

TEST_CASE("workers start while other threads hold the locks of exit handlers and of the dynamic linker",
          "[process]") {
  CHECK(status_of([] {
          std::atomic<bool> stop{false};
          std::vector<std::jthread> threads;
          for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] {
              while (!stop) {  // what dlclose() does with each library
                char library = 0;
                __cxa_atexit([](void*) {}, nullptr, &library);
                __cxa_finalize(&library);
              }
            });
          }
          const ArithmeticDataset dataset(20);
          int result = 0;
          for (int round = 0; round < 60 && result == 0; ++round) {
            DataLoader loader(dataset,
                              {.batch_size = 5, .num_workers = 2, .timeout = 10s, .on_warning = quiet});
            if (load_all(loader) != 20) result = 1;
          }
          stop = true;
          return result;
        }) == 0);
}

TEST_CASE("exit() in get() runs no exit handler that the program has registered, whenever it did",
          "[process]") {
  static std::atomic<int>* handled = nullptr;
  CHECK(status_of([] {
          const SharedMemory memory("a count", sizeof(std::atomic<int>));
          handled = reinterpret_cast<std::atomic<int>*>(memory.bytes().data());
          const HookedDataset dataset(4, [](std::size_t index) {
            if (index == 1) std::exit(0);  // NOLINT(concurrency-mt-unsafe)
          });
          for (int round = 0; round < 3; ++round) {
            std::atexit([] { handled->fetch_add(1); });
            DataLoader loader(dataset, {.batch_size = 1,
                                        .num_workers = 1,
                                        .on_bad_sample = SampleErrorPolicy::skip,
                                        .on_warning = quiet});
            if (load_all(loader) != 3) return 1;
          }
          return handled->load() == 0 ? 0 : 2;
        }) == 0);
}

// What a program prints to a file, where its workers print, too.
std::string printed_by(const std::function<void()>& program) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "out").string();
  const int status = status_of([&] {
    const UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    std::fflush(stdout);
    if (::dup2(out.get(), STDOUT_FILENO) < 0) return 1;
    std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
    program();
    std::cout.flush();
    std::fflush(stdout);
    return 0;
  });
  CHECK(status == 0);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_CASE("what the program had printed is printed once, and all that workers print", "[process]") {
  const auto load = [] {
    const HookedDataset dataset(900, [](std::size_t index) {
      if (index % 3 == 0) std::printf("sample %zu by printf\n", index);
      if (index % 3 == 1) std::cout << "sample " << index << " by cout\n";
      if (index == 899) std::printf("the last sample's words, without an end of line");
      if (index == 500) {
        std::printf("last words without an end of line");
        std::exit(0);  // NOLINT(concurrency-mt-unsafe)
      }
    });
    DataLoader loader(
        dataset,
        {.batch_size = 10, .num_workers = 2, .on_bad_sample = SampleErrorPolicy::skip, .on_warning = quiet});
    load_all(loader);
  };
  for (const bool synchronized : {true, false}) {
    INFO((synchronized ? "synchronized" : "own buffers"));
    const std::string text = printed_by([&] {
      if (!synchronized) std::ios::sync_with_stdio(false);
      std::printf("head by printf\n");
      std::cout << "head by cout\n";
      load();
      std::printf("end by printf\n");
    });
    CHECK(count(text, "head by printf\n") == 1);
    CHECK(count(text, "head by cout\n") == 1);
    CHECK(count(text, "end by printf\n") == 1);
    CHECK(count(text, " by printf\n") >= 2 + 300);
    CHECK(count(text, " by cout\n") >= 1 + 300);
    CHECK(count(text, "last words") == 2);  // of both workers that it ended
    CHECK(count(text, "the last sample's words") == 1);
    for (std::size_t index = 0; index < 900; ++index) {
      const std::string line =
          "sample " + std::to_string(index) + (index % 3 == 0 ? " by printf\n" : " by cout\n");
      if (index % 3 != 2 && count(text, line) == 0) FAIL("is missing: " << line);
    }
  }
}

TEST_CASE("a constructor does not wait for ever for a process that never says anything", "[slow]") {
  CHECK(status_of([] {
          static std::atomic<bool> armed{false};
          ::pthread_atfork(nullptr, nullptr, [] {
            if (armed) ::pause();  // as if for a lock that nobody in this process will release
          });
          const ArithmeticDataset dataset(4);
          armed = true;
          try {
            DataLoader loader(dataset, {.num_workers = 2, .on_warning = quiet});
            return 1;
          } catch (const Error& error) {
            return std::string(error.what()).find("said nothing for 30 s: it sleeps") == std::string::npos
                       ? 2
                       : 0;
          }
        }) == 0);
}

}  // namespace
}  // namespace leat
