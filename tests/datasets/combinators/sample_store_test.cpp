#include "leat/datasets/combinators/sample_store.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "tests/support/expect_error.h"

namespace {

bool refuse_pages = false;

}  // namespace

// In place of the C library's, in this program.
extern "C" int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  if (refuse_pages) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, bytes));
}

namespace leat::test {

using namespace leat::detail;

namespace {

void put(SampleStore& store, std::size_t sample, std::string_view text) {
  store.store(sample, text.size(),
              [&](std::span<std::byte> room) { std::memcpy(room.data(), text.data(), text.size()); });
}

std::string found(const SampleStore& store, std::size_t sample, std::size_t bytes) {
  const std::span<const std::byte> kept = store.find(sample);
  if (kept.size() < bytes) return "nothing";
  return {reinterpret_cast<const char*>(kept.data()), bytes};
}

}  // namespace

TEST_CASE("a store has what was put there, and counts its room") {
  SampleStore store(5, 1000);
  CHECK(store.find(2).empty());
  CHECK_FALSE(store.prefetch(2));
  put(store, 2, "two");
  put(store, 4, std::string(65, 'x'));
  CHECK(found(store, 2, 3) == "two");
  CHECK(found(store, 4, 65) == std::string(65, 'x'));
  CHECK(store.prefetch(4));
  CHECK(store.find(5).empty());
  CHECK_FALSE(store.prefetch(5));
  CHECK(store.figures().stored == 2);
  CHECK(store.figures().used == 64 + 128);
}

TEST_CASE("a store takes no more than its limit, to the byte") {
  SampleStore store(8, 256);
  put(store, 0, std::string(128, 'a'));
  put(store, 1, std::string(129, 'b'));
  CHECK(store.find(1).empty());
  put(store, 2, std::string(128, 'c'));
  put(store, 3, "d");
  CHECK(store.find(3).empty());
  CHECK(found(store, 2, 128) == std::string(128, 'c'));
  put(store, 4, std::string(257, 'e'));
  CHECK(store.figures().used == 256);
  CHECK(store.figures().stored == 2);
  store.store(5, std::numeric_limits<std::size_t>::max(),
              [](std::span<std::byte>) { FAIL("there is no room"); });
}

TEST_CASE("of two writers of a sample the first one counts, and the other's room is lost") {
  SampleStore store(2, 1000);
  store.store(0, 6, [&](std::span<std::byte> room) {
    put(store, 0, "first");
    std::ranges::fill(room, std::byte{'x'});
  });
  CHECK(found(store, 0, 5) == "first");
  CHECK(store.figures().stored == 1);
  CHECK(store.figures().used == 128);
  put(store, 0, "third");  // is known to be there
  CHECK(store.figures().used == 128);
}

TEST_CASE("a writer that does not come to an end loses its room only") {
  SampleStore store(2, 1000);
  const auto fail = [](std::span<std::byte>) { throw std::runtime_error("stop"); };
  CHECK_THROWS(store.store(0, 100, fail));
  CHECK(store.find(0).empty());
  CHECK(store.figures().used == 128);
  put(store, 0, "whole");
  CHECK(found(store, 0, 5) == "whole");
  CHECK(store.figures().used == 192);
}

TEST_CASE("threads store and find samples at once") {
  constexpr std::size_t kSamples = 400, kBytes = 40;
  SampleStore store(kSamples, kSamples * 64);
  std::vector<std::size_t> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kSamples; ++i) {
        const std::size_t sample = (i * 7 + thread * 3) % kSamples;
        const std::string text(kBytes, static_cast<char>('a' + sample % 26));
        if (store.find(sample).empty()) put(store, sample, text);
        if (!store.find(sample).empty() && found(store, sample, kBytes) != text) ++wrong[thread];
        store.count(sample, true);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::size_t>(4, 0));
  const SampleStore::Figures figures = store.figures();
  CHECK(figures.hits == 4 * kSamples);
  CHECK(figures.misses == 0);
  CHECK(figures.used <= kSamples * 64);
  CHECK(figures.stored <= figures.used / 64);
  CHECK_FALSE(figures.closed);
}

TEST_CASE("a store larger than the memory there is is refused with both figures") {
  constexpr std::size_t kTooMuch = std::size_t{1} << 55;
  try {
    SampleStore(1, kTooMuch);
    FAIL("nothing was thrown");
  } catch (const MemoryError& error) {
    CHECK(error.asked() == kTooMuch);
    CHECK(error.available() < kTooMuch);
  }
  expect_error<MemoryError>([] { SampleStore(std::size_t{1} << 50, 100); }, {"the index of a cache"});
}

TEST_CASE("a store whose memory is refused keeps what it has and takes no more", "[process]") {
  ChildProcess limited = ChildProcess::run([] {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    SampleStore store(8, 64 * kMiB);
    const std::string first(kMiB, 'a'), large(kMiB, 'b');
    put(store, 0, first);
    refuse_pages = true;
    for (std::size_t sample = 1; sample < 8; ++sample) put(store, sample, large);
    if (!store.figures().closed) return 2;
    const std::size_t stored = store.figures().stored;
    if (stored < 1 || stored > 4) return 3;
    refuse_pages = false;
    put(store, 7, "small");  // though there would be room
    const std::span<const std::byte> kept = store.find(0).first(kMiB);
    const bool is_there = std::ranges::equal(kept, std::as_bytes(std::span(first)));
    return is_there && store.figures().stored == stored ? 0 : 4;
  });
  CHECK(limited.wait() == 0);
}

}  // namespace leat::test
