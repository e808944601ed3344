#include "tools/convert/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "tools/convert/chart.h"

namespace leat::tools {
namespace {

constexpr std::size_t kBarWidth = 24;
// Without a terminal, the first line comes after a second, because silence would look like a program that hangs.
constexpr std::chrono::milliseconds kOnTerminal{200}, kFirst{1'000}, kElsewhere{10'000};

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_line(std::size_t done, std::size_t samples, std::uint64_t bytes, double seconds) {
  const double share = samples == 0 ? 1 : double(done) / double(samples);
  std::string line = fmt::format("{:.0f} %  {} of {} samples", std::floor(share * 100), done, samples);
  if (seconds <= 0 || done == 0) return line;
  line += fmt::format("  {:.1f} MB/s", double(bytes) / seconds / 1e6);
  if (done < samples)
    line += fmt::format("  {} left", duration(seconds * double(samples - done) / double(done)));
  return line;
}

Progress::Progress(std::string what, std::size_t samples)
    : what_(std::move(what)),
      samples_(samples),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(start_ + (terminal_ ? std::chrono::milliseconds(0) : kFirst)) {}

Progress::~Progress() {
  if (open_line_) std::fputc('\n', stderr);
}

void Progress::update(std::size_t done, std::uint64_t bytes) {
  done_ = done;
  bytes_ = bytes;
  const auto now = Clock::now();
  if (now < next_ && !(terminal_ && done == samples_)) return;
  next_ = now + (terminal_ ? kOnTerminal : kElsewhere);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = progress_line(done_, samples_, bytes_, seconds);
  if (terminal_) {
    // Go to the start of the line and delete it.
    fmt::print(stderr, "\r\x1b[K{}  [{:<{}}] {}", what_, bar(done_, samples_, kBarWidth), kBarWidth, line);
    open_line_ = true;
  } else {
    fmt::print(stderr, "{}  {}\n", what_, line);
  }
  std::fflush(stderr);
}

}  // namespace leat::tools
