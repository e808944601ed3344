// An exception, as it crosses from a worker's memory to the parent's.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace leat {

// Lies in shared memory; fixed size; text that does not fit ends with "...". Written by the holder of the run
// (or by the worker that the record belongs to), read by the parent once the run's word says failed.
struct FailureRecord {
  std::uint64_t index = 0;   // of the sample
  std::uint32_t row = 0;     // of the sample in its batch
  std::int32_t worker = -1;  // that it happened in; -1: the calling process
  char type[112] = {};
  char source[256] = {};
  char text[640] = {};

  // Writes type and text of the exception in flight. Call it inside a catch block.
  void capture();
  void set_source(std::string_view where) noexcept;
};
static_assert(sizeof(FailureRecord) == 1024);

}  // namespace leat
