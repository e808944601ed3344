#include "leat/datasets/base/process_identity.h"

#include <pthread.h>

#include <atomic>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

std::atomic<std::uint64_t> forks{0};  // number of forks between the first process that asked and this one

void count_fork() {
  forks.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t register_and_count() {
  static const int error = ::pthread_atfork(nullptr, nullptr, count_fork);
  if (error != 0) throw SystemError("pthread_atfork", error);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

ProcessIdentity::ProcessIdentity() : forks_(register_and_count()) {}

bool ProcessIdentity::is_current() const noexcept {
  return forks_ == forks.load(std::memory_order_relaxed);
}

}  // namespace leat::detail
