// Ranks as forked processes, for tests that kill and stop them.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "leat/parallel/store/tcp_socket.h"

namespace leat::test {

using namespace leat::detail;

// A forked rank. What its body throws, and what it reports, is text in a pipe.
class RankProcess {
 public:
  using Report = std::function<void(const std::string&)>;

  RankProcess(int rank, const std::function<void(int rank, const Report&)>& body) {
    int ends[2];
    if (::pipe(ends) != 0) throw_errno("pipe for a rank's report");
    output_ = leat::detail::UniqueFd(ends[0]);
    const leat::detail::UniqueFd input(ends[1]);
    process_.emplace(leat::detail::ChildProcess::run([&] {
      const Report report = [&](const std::string& text) {
        if (::write(input.get(), text.data(), text.size()) < 0) ::_exit(3);
      };
      try {
        body(rank, report);
      } catch (const std::exception& error) {
        report(error.what());
      }
      return 0;
    }));
  }

  void kill(int signal) const { process_->kill(signal); }

  // One report, as it comes; empty when the process is gone.
  std::string read() {
    std::string text(4096, '\0');
    const ssize_t size = ::read(output_.get(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

  // The same, but fails if nothing comes within `bound`.
  std::string read(std::chrono::milliseconds bound) {
    pollfd ready{.fd = output_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(bound.count())) != 1) {
      throw std::runtime_error(fmt::format("a rank reported nothing within {} ms", bound.count()));
    }
    return read();
  }

  pid_t pid() const { return process_->pid(); }

  int wait() { return process_->wait(); }

 private:
  leat::detail::UniqueFd output_;
  std::optional<leat::detail::ChildProcess> process_;
};

// A port that nobody listens at, most likely still so a moment later.
inline std::uint16_t free_port() {
  const leat::detail::UniqueFd listener = leat::detail::listen_at("127.0.0.1", 0);
  return leat::detail::local_port(listener.get());
}

}  // namespace leat::test
