// The calls that a thread is in, noted by a signal handler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace leat::detail {

/// Return addresses, innermost call first. Lies in shared memory: one process notes it, another one reads it when
/// `noted` has changed.
struct StackTrace {
  static constexpr std::size_t kMost = 30;

  std::array<std::uint64_t, kMost> addresses{};
  std::uint32_t count = 0;
  // Set by the process that is traced: frames from this return address on are not noted.
  std::uint64_t base = 0;
  std::atomic<std::uint32_t> noted{0};  // how often it was; a futex

  std::span<const std::uint64_t> frames() const noexcept { return {addresses.data(), count}; }
};

/// Loads what note_stack() needs, since a signal handler must not. Call it before the first fork.
void prepare_stack_traces();

/// Notes the calls of the calling thread that lie outside of the one that returns to `behind`. Async-signal-safe after
/// prepare_stack_traces().
void note_stack(StackTrace& trace, const void* behind) noexcept;

/// A line for each frame: function, source file and line where the binary has symbols and the program addr2line is
/// installed; otherwise the exported function or the module, and an offset. The addresses are those of this process
/// or of one that was forked from it. Runs other programs, for two seconds at most; meant for errors.
std::string describe_frames(std::span<const std::uint64_t> addresses);

}  // namespace leat::detail
