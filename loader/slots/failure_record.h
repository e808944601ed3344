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
  std::uint32_t deaths = 0;  // of workers, at this sample; 0: an exception
  char type[108] = {};
  char source[256] = {};
  char text[640] = {};

  // Writes type and text of the exception in flight. Call it inside a catch block.
  void capture();
  void set_source(std::string_view where) noexcept;

  // Says that loading a sample ended `deaths` processes of `worker`, the last one as `how` tells.
  void blame(std::uint64_t sample, std::uint32_t at_row, int in_worker, std::uint32_t times,
             std::string_view how);
};
static_assert(sizeof(FailureRecord) == 1024);

}  // namespace leat
