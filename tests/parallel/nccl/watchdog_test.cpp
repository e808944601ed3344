// The thread that looks after what is watched.
#include "leat/parallel/nccl/watchdog.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "leat/loader/os/child_process.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Counter final : Watched {
  explicit Counter(std::chrono::milliseconds every) : pause(every) {}
  std::chrono::milliseconds look() noexcept override {
    is_looking = true;
    if (looking_takes.count() > 0) std::this_thread::sleep_for(looking_takes);
    is_looking = false;
    ++looks;
    looks.notify_all();
    return pause;
  }
  // Returns false if so many looks do not come within ten seconds.
  bool wait_for(int count) const {
    const auto end = Clock::now() + 10s;
    while (looks < count && Clock::now() < end) std::this_thread::sleep_for(1ms);
    return looks >= count;
  }

  const std::chrono::milliseconds pause;
  std::chrono::milliseconds looking_takes{0};
  std::atomic<int> looks = 0;
  std::atomic<bool> is_looking = false;
};

// The number of this process's watchdogs.
std::ptrdiff_t watchdogs() {
  const auto is_called = [&](const std::filesystem::directory_entry& thread) {
    std::string text;
    std::getline(std::ifstream(thread.path() / "comm"), text);
    return text == "leat-watchdog";
  };
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::count_if(begin(threads), end(threads), is_called);
}

// Whether there are so many watchdogs besides `others`: a thread that was joined may be listed for a moment more.
bool are_watchdogs(std::ptrdiff_t count, std::ptrdiff_t others) {
  const auto end = Clock::now() + 10s;
  while (watchdogs() != count + others && Clock::now() < end) std::this_thread::sleep_for(1ms);
  return watchdogs() == count + others;
}

// Starts the threads that a sanitizer starts with the first thread of the program, and that take over its name. Returns
// how many there are.
std::ptrdiff_t threads_of_sanitizer() {
  {
    Counter counter(1ms);
    const Watch watch(counter);
  }
  std::this_thread::sleep_for(100ms);  // until the watchdog is listed no more
  return watchdogs();
}

TEST_CASE("the watchdog is a thread that exists only while something is watched") {
  const std::ptrdiff_t others = threads_of_sanitizer();
  Counter first(1ms), second(1ms);
  for (int time = 0; time < 20; ++time) {
    std::optional<Watch> one(std::in_place, first);
    CHECK(are_watchdogs(1, others));
    {
      const Watch other(second);
      CHECK(are_watchdogs(1, others));
      CHECK(second.wait_for(time + 1));
    }
    CHECK(first.wait_for(time + 1));
    one.reset();
    CHECK(are_watchdogs(0, others));
  }
}

TEST_CASE("the watchdog sleeps as long as what is watched allows, unless it is hurried") {
  Counter counter(60s);
  const Watch watch(counter);
  CHECK(counter.wait_for(1));
  std::this_thread::sleep_for(50ms);
  CHECK(counter.looks == 1);
  Watchdog::of_this_process().hurry(counter, 20ms);
  CHECK(counter.wait_for(2));
  std::this_thread::sleep_for(50ms);
  CHECK(counter.looks == 2);
}

TEST_CASE("what is no longer watched is not being looked at") {
  Counter other(60s);
  const Watch keeps_the_thread(other);
  for (int time = 0; time < 20; ++time) {
    Counter counter(0ms);
    counter.looking_takes = 2ms;
    {
      const Watch watch(counter);
      CHECK(counter.wait_for(1));
    }
    const int looks = counter.looks;
    CHECK_FALSE(counter.is_looking);
    std::this_thread::sleep_for(3ms);
    CHECK(counter.looks == looks);
  }
}

TEST_CASE("threads that begin and end watches at once leave one watchdog or none") {
  const std::ptrdiff_t others = threads_of_sanitizer();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int time = 0; time < 100; ++time) {
        Counter counter(1ms);
        const Watch watch(counter);
        if (time % 10 == 0) counter.wait_for(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(are_watchdogs(0, others));
}

TEST_CASE("a forked process leaves its parent's watches alone, and has a watchdog of its own", "[process]") {
  Counter counter(1ms);
  std::optional<Watch> watch(std::in_place, counter);
  CHECK(counter.wait_for(1));
  ChildProcess child = ChildProcess::run([&] {
    watch.reset();  // does not wait for a thread that is not there
    Counter own(1ms);
    const Watch own_watch(own);
    return own.wait_for(3) ? 0 : 1;
  });
  const auto status = child.wait(20s);
  REQUIRE(status);
  CHECK(*status == 0);
  const int looks = counter.looks;
  CHECK(counter.wait_for(looks + 3));
}

}  // namespace
}  // namespace leat::test
