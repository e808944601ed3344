// FailureRecord: the description of an exception or a crash in a worker, which the parent reads.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "leat/loader/os/stack_trace.h"

namespace leat::detail {

// Lies in shared memory and has a fixed size. Text that does not fit is cut off and ends with "...". The record of a
// chunk is written by the holder of the chunk, or by the fork server after the holder's process is gone. The parent
// reads it once the chunk's word says failed. The record of a worker is written by that worker.
struct FailureRecord {
  std::uint64_t index = 0;   // index of the sample in the dataset
  std::uint32_t row = 0;     // row of the sample in its batch
  std::int32_t worker = -1;  // worker in which it happened; -1 is the calling process
  std::uint32_t deaths = 0;  // number of workers that died at this sample; 0 for an exception
  std::uint32_t stack_frames = 0;
  std::uint64_t generation = 0;                          // generation of the batch; 0 if not set
  std::array<std::uint64_t, StackTrace::kMost> stack{};  // stack of the last worker that died, if known
  char type[108] = {};
  char source[256] = {};
  char text[640] = {};

  // Writes type and text of the current exception. Call it inside a catch block. If memory is short, it writes only
  // what it can write without allocating.
  void capture() noexcept;
  void set_source(std::string_view where) noexcept;

  // Writes what blame() cannot find out by itself. Call it before a sample is tried that has ended a worker.
  void expect_death(std::uint64_t batch, std::uint64_t sample, std::string_view where) noexcept;

  // Says that a sample ended worker processes. Keeps the source that expect_death() wrote for the same sample.
  struct Blame {
    std::uint64_t batch = 0;  // generation of the batch
    std::uint64_t sample = 0;
    std::uint32_t row = 0;
    int worker = 0;
    std::uint32_t deaths = 0;
    std::string_view how;  // how the last worker ended: "was killed by signal 11 (Segmentation fault)"
    std::span<const std::uint64_t> stack = {};
  };
  void blame(const Blame& blame) noexcept;
};
static_assert(sizeof(FailureRecord) == 1280);

}  // namespace leat::detail
