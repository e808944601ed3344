#include "tests/interleaving/fiber.h"

#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

// AddressSanitizer and ThreadSanitizer must be told of stacks. They are there in a sanitized program only.
extern "C" {
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** save, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* saved, const void** bottom,
                                                           std::size_t* size);
}

namespace leat::interleaving {

namespace {
constexpr std::size_t kStackBytes = 256 << 10;
const void* thread_stack = nullptr;  // of the thread that started the first fiber
std::size_t thread_stack_bytes = 0;
}  // namespace

void Fiber::start(std::function<void()> body) {
  if (!stack_) stack_ = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  body_ = std::move(body);
  sanitizer_ = nullptr;
  if (__tsan_create_fiber != nullptr && race_detector_ == nullptr) race_detector_ = __tsan_create_fiber(0);
  ::getcontext(&context_);
  context_.uc_stack = {};
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext passes ints only
  ::makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

void Fiber::abandon() {
  static std::vector<std::unique_ptr<std::byte[]>> abandoned;
  abandoned.push_back(std::move(stack_));
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.sanitizer_, to.stack_ ? to.stack_.get() : thread_stack,
                                   to.stack_ ? kStackBytes : thread_stack_bytes);
  }
  if (__tsan_switch_to_fiber != nullptr) {
    if (!from.stack_) from.race_detector_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.race_detector_, 0);
  }
  ::swapcontext(&from.context_, &to.context_);
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(from.sanitizer_, nullptr, nullptr);
  }
}

void Fiber::enter(unsigned high, unsigned low) {
  if (__sanitizer_finish_switch_fiber != nullptr) {
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (thread_stack == nullptr) {  // whoever enters first comes from the thread
      thread_stack = bottom;
      thread_stack_bytes = size;
    }
  }
  auto* const self = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
  self->body_();
  std::abort();
}

}  // namespace leat::interleaving
