// What the ranks print, on its way to leat-run's own output.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace leat::tools {

// Bytes on their way to a descriptor whose reader may be slow, or stopped. Never blocks, and never changes the
// descriptor's flags, which others share.
class Sink {
 public:
  explicit Sink(int fd) : fd_(fd) {}

  int fd() const noexcept { return fd_; }
  void add(std::string_view bytes);
  void flush();  // writes as much as the reader takes now
  bool empty() const noexcept { return pending_.empty(); }
  bool full() const noexcept { return pending_.size() >= kLimit; }  // then read no more of the ranks
  int error() const noexcept { return error_; }  // of a write; what is added later is dropped

 private:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;  // bytes

  int fd_;
  int error_ = 0;
  std::string pending_;
};

// The last lines that a rank printed, on both streams.
class LastLines {
 public:
  void add(std::string_view line);
  const std::deque<std::string>& lines() const noexcept { return lines_; }

 private:
  std::deque<std::string> lines_;
};

// Cuts a stream into lines and puts a prefix before each. A carriage return ends a line, too, because progress is shown
// with it. A line of more than kMaxLine bytes becomes several.
class PrefixedLines {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{64} << 10;

  PrefixedLines(std::string prefix, Sink& sink, LastLines& last)
      : prefix_(std::move(prefix)), sink_(&sink), last_(&last) {}

  void add(std::string_view bytes);
  void finish();  // ends a line that has no end

 private:
  void end_line(std::string_view end);

  std::string prefix_;
  Sink* sink_;
  LastLines* last_;
  std::string line_;
  bool after_return_ = false;  // whether the line before ended with a carriage return
};

}  // namespace leat::tools
