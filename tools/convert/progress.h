// A progress display: a line that is updated in place on a terminal, or a new line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace leat::tools {

// Writes to standard error. Not thread-safe.
class Progress {
 public:
  Progress(std::string what, std::size_t samples);
  ~Progress();  // ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::size_t samples_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;  // time of the next line
  std::size_t done_ = 0;
  std::uint64_t bytes_ = 0;
  bool open_line_ = false;
};

// Returns "35 %  105 of 300 samples  82.3 MB/s  2 s left", after `seconds`. The last part is left out if it is
// unknown.
std::string progress_line(std::size_t done, std::size_t samples, std::uint64_t bytes, double seconds);

}  // namespace leat::tools
