// With this macro the C library's headers define open() themselves.
#undef _FORTIFY_SOURCE
#include "tests/support/file_operations.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace leat::test {
namespace {

thread_local std::vector<FileOperation>* recorder = nullptr;
thread_local std::function<void()> before_next_lock;

long die_at() {
  static const long at = [] {
    const char* const text = std::getenv(kDieAt);
    return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  }();
  return at;
}

void before(const char* name, const char* path) {
  static std::atomic<long> count{0};
  if (die_at() != 0 && ++count == die_at()) ::kill(::getpid(), SIGKILL);
  if (recorder != nullptr) recorder->push_back({name, path});
}

void before(const char* name, int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  if (recorder != nullptr && ::readlink(link.c_str(), path.data(), path.size() - 1) < 0) path[0] = '?';
  before(name, path.data());
}

// The C library's own.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void record_file_operations(std::vector<FileOperation>* operations) {
  recorder = operations;
}

void run_before_next_lock(std::function<void()> function) {
  before_next_lock = std::move(function);
}

}  // namespace leat::test

extern "C" {

int flock(int file, int operation) noexcept {
  static auto* const real = leat::test::next<int(int, int)>("flock");
  if (const auto function = std::exchange(leat::test::before_next_lock, nullptr)) function();
  return real(file, operation);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = leat::test::next<int(const char*, mode_t)>("mkdir");
  leat::test::before("mkdir", path);
  return real(path, mode);
}

int rmdir(const char* path) noexcept {
  static auto* const real = leat::test::next<int(const char*)>("rmdir");
  leat::test::before("rmdir", path);
  return real(path);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = leat::test::next<int(const char*, const char*)>("rename");
  leat::test::before("rename", from);
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static auto* const real = leat::test::next<int(const char*)>("unlink");
  leat::test::before("unlink", path);
  return real(path);
}

int remove(const char* path) noexcept {
  static auto* const real = leat::test::next<int(const char*)>("remove");
  leat::test::before("remove", path);
  return real(path);
}

int open(const char* path, int flags, ...) {
  static auto* const real = leat::test::next<int(const char*, int, ...)>("open");
  if ((flags & O_CREAT) == 0) return real(path, flags);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  leat::test::before("open", path);
  return real(path, flags, mode);
}

ssize_t write(int file, const void* data, size_t size) {
  static auto* const real = leat::test::next<ssize_t(int, const void*, size_t)>("write");
  leat::test::before("write", file);
  return real(file, data, size);
}

int fdatasync(int file) {
  static auto* const real = leat::test::next<int(int)>("fdatasync");
  leat::test::before("fdatasync", file);
  return real(file);
}

int fsync(int file) {
  static auto* const real = leat::test::next<int(int)>("fsync");
  leat::test::before("fsync", file);
  return real(file);
}

}  // extern "C"
