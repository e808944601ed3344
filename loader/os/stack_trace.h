// StackTrace: the stack of calls of a thread, recorded by a signal handler.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace leat::detail {

/// The return addresses of a stack, innermost call first. It lies in shared memory: one process records it, and
/// another process reads it after `noted` has changed.
struct StackTrace {
  static constexpr std::size_t kMost = 30;

  std::array<std::uint64_t, kMost> addresses{};
  std::uint32_t count = 0;
  // Set by the process that is traced: frames from this return address outward are not recorded.
  std::uint64_t base = 0;
  std::atomic<std::uint32_t> noted{0};  // how often a stack was recorded; a futex

  std::span<const std::uint64_t> frames() const noexcept { return {addresses.data(), count}; }
};

/// Loads the library that note_stack() needs, since a signal handler must not load it. Call it before the first fork.
void prepare_stack_traces();

/// Records the stack of the calling thread, without the frames up to and including the one with return address
/// `behind`. Async-signal-safe after prepare_stack_traces().
void note_stack(StackTrace& trace, const void* behind) noexcept;

/// Returns a line for each frame. It names the function, source file and line if the binary has symbols and the
/// program addr2line is installed; otherwise the exported function or the module, and an offset. The addresses must
/// be those of this process or of one that was forked from it. Runs other programs, for two seconds at most; meant
/// for errors.
std::string describe_frames(std::span<const std::uint64_t> addresses);

}  // namespace leat::detail
