// The operating system's part, for the processes of a simulation: other definitions of some classes and
// functions of datasets/base and loader/os, linked in their place.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/os/futex.h"
#include "leat/loader/os/wake_pipe.h"
#include "tests/interleaving/simulation.h"

namespace leat::detail {

using interleaving::Simulation;

void futex_wait(const SharedAtomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  Simulation::current().sleep_on(&word, [&] { return word.peek() == seen; });
}

void futex_wake_all(const SharedAtomic<std::uint32_t>& word) noexcept {
  Simulation::current().wake_all(&word);
}

WakePipe::WakePipe() = default;

bool WakePipe::notify() const noexcept {
  Simulation::current().step();
  Simulation::current().signaled = true;
  return true;
}

void WakePipe::drain() const noexcept {
  Simulation::current().step();
  Simulation::current().signaled = false;
}

SharedMemory::SharedMemory(std::string purpose, std::size_t bytes, Pages, Forks)
    : purpose_(std::move(purpose)), size_(align_up(bytes, page_size())) {
  data_ = static_cast<std::byte*>(std::aligned_alloc(page_size(), size_));
  std::memset(data_, 0, size_);
  if (purpose_.starts_with("batch slots")) Simulation::current().shared_memory_taken(this->bytes());
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : purpose_(std::move(other.purpose_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  std::free(data_);
}

void SharedMemory::take(std::span<const Extent>) {}

bool SharedMemory::try_take(std::span<const Extent>) const {
  return !Simulation::current().memory_is_short;
}

void SharedMemory::guard_page(std::size_t) {}

}  // namespace leat::detail
