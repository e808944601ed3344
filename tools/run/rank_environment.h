// The environments of the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "tools/run/options.h"

namespace leat::tools {

// What all ranks of all attempts share.
struct JobIdentity {
  std::string secret;
  std::string run_id;
};

// Draws a run id, and a secret unless LEAT_JOB_SECRET is set. Throws SystemError.
JobIdentity make_job_identity();

// A port of 127.0.0.1 that the kernel gives to nobody else as long as the object lives. Programs that set SO_REUSEADDR,
// as servers do, can listen at it meanwhile.
class ReservedPort {
 public:
  ReservedPort();  // throws SystemError
  std::uint16_t number() const noexcept { return number_; }

 private:
  detail::UniqueFd socket_;
  std::uint16_t number_ = 0;
};

// Returns the environment of a rank, "NAME=value" each: leat-run's own without the variables of other launchers that
// the ranks would read, and with those of leat-run.
std::vector<std::string> environment_of_rank(const RunOptions& options, const JobIdentity& job,
                                             std::uint16_t port, int restart, int rank);

}  // namespace leat::tools
