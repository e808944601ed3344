#include "tools/run/output.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace leat::tools {
namespace {

constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMaxLastLine = 2000;  // bytes

}  // namespace

void Sink::add(std::string_view bytes) {
  if (error_ == 0) pending_ += bytes;
}

void Sink::flush() {
  std::size_t written = 0;
  while (written < pending_.size()) {
    pollfd entry{.fd = fd_, .events = POLLOUT, .revents = 0};
    if (::poll(&entry, 1, 0) <= 0) break;
    // A pipe that is ready takes PIPE_BUF bytes without blocking.
    const std::size_t count = std::min<std::size_t>(pending_.size() - written, PIPE_BUF);
    const ssize_t result = ::write(fd_, pending_.data() + written, count);
    if (result >= 0) {
      written += static_cast<std::size_t>(result);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      error_ = errno;
      pending_.clear();
      return;
    }
  }
  pending_.erase(0, written);
}

void LastLines::add(std::string_view line) {
  if (lines_.size() == kLastLines) lines_.pop_front();
  lines_.emplace_back(line.substr(0, kMaxLastLine));
}

void PrefixedLines::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\n\r");
    const std::size_t room = kMaxLine - line_.size();
    const std::size_t count = std::min({end, bytes.size(), room});
    line_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (count == end) {
      end_line(bytes.substr(0, 1));
      bytes.remove_prefix(1);
    } else if (line_.size() == kMaxLine) {
      end_line("\n");
    }
  }
}

void PrefixedLines::finish() {
  if (!line_.empty()) end_line("\n");
}

void PrefixedLines::end_line(std::string_view end) {
  const bool second_half = after_return_ && line_.empty() && end == "\n";  // of "\r\n"
  after_return_ = end == "\r";
  if (second_half) {
    sink_->add(end);
    return;
  }
  sink_->add(prefix_);
  sink_->add(line_);
  sink_->add(end);
  last_->add(line_);
  line_.clear();
}

}  // namespace leat::tools
