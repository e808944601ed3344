// A stack of its own, to switch to and from within one thread.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace leat::interleaving {

class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next switch to it begins `body`, which must never return. What ran on the stack before is forgotten, as
  // is a killed process's: no destructor runs.
  void start(std::function<void()> body);

  // What is on the stack stays there until the program ends. (Else a leak checker would complain of what the
  // stack refers to.)
  void abandon();

  // Leaves the fiber (or thread) that runs, and remembers in `from` where it was. Returns when someone switches
  // to `from`.
  static void switch_to(Fiber& from, Fiber& to);

 private:
  static void enter(unsigned high, unsigned low);

  ucontext_t context_{};
  std::unique_ptr<std::byte[]> stack_;  // null: the thread's own
  std::function<void()> body_;
  void* sanitizer_ = nullptr;      // what AddressSanitizer keeps of a stack that is left
  void* race_detector_ = nullptr;  // what ThreadSanitizer keeps of it
};

}  // namespace leat::interleaving
