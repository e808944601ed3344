// An exception, as it crosses from a worker's memory to the parent's.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "leat/loader/os/stack_trace.h"

namespace leat::detail {

// Lies in shared memory; fixed size; text that does not fit ends with "...". Written by the holder of the chunk
// (or by the worker that the record belongs to), read by the parent once the chunk's word says failed.
struct FailureRecord {
  std::uint64_t index = 0;   // of the sample
  std::uint32_t row = 0;     // of the sample in its batch
  std::int32_t worker = -1;  // that it happened in; -1: the calling process
  std::uint32_t deaths = 0;  // of workers, at this sample; 0: an exception
  std::uint32_t stack_frames = 0;
  std::uint64_t generation = 0;  // of the batch; 0: not noted
  std::array<std::uint64_t, StackTrace::kMost>
      stack{};  // of the last worker that died, as far as it is known
  char type[108] = {};
  char source[256] = {};
  char text[640] = {};

  // Writes type and text of the exception in flight. Call it inside a catch block. If memory is short, it writes only
  // the part that needs none.
  void capture() noexcept;
  void set_source(std::string_view where) noexcept;

  // Before a sample is tried that has ended a worker: what blame() will not be able to find out.
  void expect_death(std::uint64_t batch, std::uint64_t sample, std::string_view where) noexcept;

  // Says that a sample ended worker processes. Keeps the source that was expected for it.
  struct Blame {
    std::uint64_t batch = 0;  // generation
    std::uint64_t sample = 0;
    std::uint32_t row = 0;
    int worker = 0;
    std::uint32_t deaths = 0;
    std::string_view how;  // the last one ended: "was killed by signal 11 (Segmentation fault)"
    std::span<const std::uint64_t> stack = {};
  };
  void blame(const Blame& blame) noexcept;
};
static_assert(sizeof(FailureRecord) == 1280);

}  // namespace leat::detail
