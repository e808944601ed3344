// Memory like that of batch slots: a shared mapping of a memfd.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace leat::test {

class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);  // a multiple of the page size
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// Runs `body` in a forked child and waits for it; throws SystemError where that fails, and where the child
// does.
void run_in_child(const std::function<void()>& body);

}  // namespace leat::test
