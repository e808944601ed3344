#include "leat/datasets/io/descriptor_share.h"

#include <sys/resource.h>

#include <atomic>
#include <cstddef>

namespace leat::detail {

namespace {

std::atomic<std::size_t> taken{0};

// Asked each time: a program may raise its limit after its first dataset was opened.
std::size_t limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<std::size_t>(limit.rlim_cur / 4);
}

}  // namespace

DescriptorShare DescriptorShare::try_take() noexcept {
  DescriptorShare share;
  const std::size_t most = limit();
  std::size_t now = taken.load(std::memory_order_relaxed);
  while (now < most && !share.taken_)
    share.taken_ = taken.compare_exchange_weak(now, now + 1, std::memory_order_relaxed);
  return share;
}

DescriptorShare& DescriptorShare::operator=(DescriptorShare&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  taken_ = other.taken_;
  other.taken_ = false;
  return *this;
}

void DescriptorShare::give_back() noexcept {
  if (taken_) taken.fetch_sub(1, std::memory_order_relaxed);
  taken_ = false;
}

}  // namespace leat::detail
