// The process of one rank.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"

namespace leat::tools {

// Leads a process group of its own, so that signals reach the processes that the rank starts, too. Is killed by the
// kernel when leat-run ends. An ended rank stays a zombie as long as the object lives, so that its process group cannot
// become another one's. Not copyable or movable. Not thread-safe.
class RankProcess {
 public:
  // Throws UsageError if the program cannot be started, SystemError for other failures. Standard input is /dev/null.
  RankProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment);
  ~RankProcess();  // kills the group if the rank has not ended
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;

  int pidfd() const noexcept { return pidfd_.get(); }      // readable when the rank has ended
  detail::UniqueFd& output() noexcept { return output_; }  // the reading ends of pipes, which do not block
  detail::UniqueFd& errors() noexcept { return errors_; }

  void signal_group(int signal) const noexcept;

  // Returns how the rank ended: its exit status, or 128 + the signal. Returns nullopt if it has not.
  std::optional<int> exit_status() const;
  bool was_killed() const;  // by a signal

 private:
  pid_t pid_ = -1;
  detail::UniqueFd pidfd_, output_, errors_;
};

}  // namespace leat::tools
