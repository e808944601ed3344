#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "leat/loader/base/checked.h"
#include "leat/loader/base/child_process.h"
#include "leat/loader/base/errors.h"
#include "leat/loader/base/memory_limits.h"
#include "leat/loader/base/shared_memory.h"
#include "leat/loader/base/tensor_view.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

TEST_CASE("size arithmetic refuses to wrap round") {
  const std::size_t huge = ~std::size_t{0};
  CHECK(checked_multiply(1u << 20, 1u << 20) == std::size_t{1} << 40);
  CHECK_THROWS_AS(checked_multiply(huge, 2), ArgumentError);
  CHECK_THROWS_AS(checked_add(huge, 1), ArgumentError);
  CHECK_THROWS_AS(align_up(huge, 256), ArgumentError);
  CHECK(align_up(257, 256) == 512);
  CHECK(align_up(256, 256) == 256);
  CHECK(divide_up(7, 3) == 3);
  CHECK(divide_up(6, 3) == 2);
}

TEST_CASE("errors carry their parts, and the texts nested in them") {
  CHECK(SystemError("opening x", ENOENT).code() == ENOENT);
  CHECK(std::string(MemoryError("batch slots", 100, 40).what()) ==
        "batch slots need 100 bytes, but 40 bytes are available");
  CHECK(std::string(MemoryError("batch slots", 3 << 20, 1536, "RLIMIT_AS").what()) ==
        "batch slots need 3 MiB (3145728 bytes), but 1.5 KiB (1536 bytes) are available, as RLIMIT_AS says");
  CHECK(in_bytes(~std::size_t{0}) == "16 EiB (18446744073709551615 bytes)");
  CHECK(DataError("a.jpg", "is truncated").source() == "a.jpg");
  try {
    try {
      throw std::runtime_error("inner");
    } catch (...) {
      std::throw_with_nested(ArgumentError("outer"));
    }
  } catch (const std::exception& error) {
    CHECK(describe(error) == "outer: inner");
  }
  CHECK(type_name(ArgumentError("x")) == "leat::ArgumentError");
}

TEST_CASE("tensor views cut rows and check types") {
  std::array<std::int32_t, 6> numbers{0, 1, 2, 3, 4, 5};
  const TensorView view{numbers.data(), DType::i32, {3, 2}};
  CHECK(view.bytes() == 24);
  CHECK(view.rows(1, 3).as<std::int32_t>()[0] == 2);
  CHECK(view.rows(1, 1).count() == 0);
  test::expect_error<ArgumentError>([&] { view.rows(2, 4); }, {"[2, 4)", "[3, 2]"});
  test::expect_error<ArgumentError>([&] { view.as<float>(); }, {"i32", "f32"});
}

TEST_CASE("shared memory is zeroed, and more than there is comes as an error with both figures") {
  const SharedMemory memory("test memory", 10000);
  CHECK(memory.bytes().size() % page_size() == 0);
  CHECK(memory.bytes()[9999] == std::byte{0});
  const std::size_t huge = std::size_t{1} << 60;
  test::expect_error<MemoryError>([&] { SharedMemory("test memory", huge); },
                                  {"test memory", "1152921504606846976"});
}

// Of this process, mapped now.
std::size_t shared_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssShmem:")) return std::stoul(line.substr(9));
  }
  return 0;
}

TEST_CASE("reserved memory is addresses alone, until it is taken") {
  const std::size_t before = shared_kib();
  SharedMemory memory("test memory", std::size_t{64} << 20, Pages::reserved);
  CHECK(shared_kib() < before + 1024);
  const std::array<Extent, 2> parts{Extent{0, 100}, Extent{std::size_t{5} << 20, std::size_t{8} << 20}};
  memory.take(parts);
  CHECK(shared_kib() >= before + 8 * 1024);
  CHECK(shared_kib() < before + 10 * 1024);
  const std::array<Extent, 1> more{Extent{std::size_t{32} << 20, 1000}};
  REQUIRE(memory.try_take(more));
  CHECK(memory.bytes()[(32 << 20) + 999] == std::byte{0});
  memory.bytes()[99] = memory.bytes()[(13 << 20) - 1] = memory.bytes()[(32 << 20) + 999] = std::byte{1};
}

TEST_CASE("reserved memory that is not there is refused, or an error with both figures") {
  const std::size_t huge = std::min(available_memory(), std::size_t{1} << 40) + (std::size_t{1} << 30);
  SharedMemory memory("test memory", huge, Pages::reserved);
  const std::array<Extent, 1> all{Extent{0, huge}};
  CHECK_FALSE(memory.try_take(all));
  test::expect_error<MemoryError>([&] { memory.take(all); }, {"test memory", std::to_string(huge)});
}

TEST_CASE("the pages of reserved memory need no addresses beside its own", "[process]") {
  for (const Forks forks : {Forks::share, Forks::copy}) {
    ChildProcess child = ChildProcess::run([forks] {
      constexpr std::size_t kBytes = std::size_t{64} << 20;
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;  // of addresses
      const rlim_t addresses = pages * page_size() + kBytes + kBytes / 4;
      const rlimit limit{addresses, addresses};
      if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
      SharedMemory memory("test memory", kBytes, Pages::reserved, forks);
      const std::array<Extent, 2> halves{Extent{0, kBytes / 2}, Extent{kBytes / 2, kBytes / 2}};
      memory.take(std::span(halves).first(1));
      if (!memory.try_take(std::span(halves).last(1))) return 2;
      memory.bytes()[kBytes - 1] = std::byte{1};
      return 0;
    });
    CHECK(child.wait() == 0);
  }
}

TEST_CASE("what a child writes into shared memory, the parent sees", "[process]") {
  const SharedMemory memory("test memory", 4096);
  ChildProcess child = ChildProcess::run([&] {
    std::memset(memory.bytes().data(), 7, 4096);
    return 3;
  });
  const int status = child.wait();
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(memory.bytes()[4095] == std::byte{7});
}

TEST_CASE("a child that throws leaves with 125, a killed one says by which signal", "[process]") {
  CHECK(WEXITSTATUS(ChildProcess::run([]() -> int { throw std::runtime_error("no"); }).wait()) == 125);
  ChildProcess sleeper = ChildProcess::run([] { return ::pause(); });
  CHECK_FALSE(sleeper.wait(std::chrono::milliseconds(0)).has_value());
  sleeper.kill(SIGKILL);
  const int status = sleeper.wait();
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
}

TEST_CASE("a guard page turns an overrun into a crash", "[process]") {
  ChildProcess child = ChildProcess::run([] {
    SharedMemory memory("test memory", 3 * page_size());
    memory.guard_page(page_size());
    memory.bytes()[2 * page_size()] = std::byte{1};  // behind the guard: fine
    ::signal(SIGSEGV, [](int) { ::_exit(77); });
    memory.bytes()[page_size()] = std::byte{1};
    return 0;
  });
  CHECK(WEXITSTATUS(child.wait()) == 77);
}

TEST_CASE("children lose sockets and pipes, and keep files", "[process]") {
  std::array<int, 2> sockets{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) == 0);
  const UniqueFd kept(sockets[0]), lost(sockets[1]);
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  ChildProcess child = ChildProcess::run([&] {
    const std::array<int, 1> keep{kept.get()};
    close_inherited_fds(keep);
    const auto is_open = [](int fd) { return ::fcntl(fd, F_GETFD) >= 0; };
    return (is_open(kept.get()) ? 1 : 0) + (is_open(lost.get()) ? 2 : 0) + (is_open(file.get()) ? 4 : 0);
  });
  CHECK(WEXITSTATUS(child.wait()) == 5);
}

}  // namespace
}  // namespace leat
