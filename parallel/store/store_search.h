// How a rank finds and enters the store of its job.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/tcp_socket.h"
#include "leat/parallel/world_settings.h"

namespace leat::detail {

// Throws ArgumentError if the world has no secret although other machines can reach its address, or if the address is
// a loopback address although ranks of other hosts need it.
void check_address(const WorldSettings& world);

struct StoreConnection {
  UniqueFd fd;
  std::uint16_t port = 0;
};

// Connects to all addresses and ports of a world at the same time, so a program that listens at one of them and says
// nothing costs no time, and repeats what fails until the deadline: rank 0 may come later. Says hello wherever it is
// greeted as by a store. Not thread-safe.
class StoreSearch {
 public:
  StoreSearch(const WorldSettings& world, const Deadline& deadline);

  // Returns the connection after the welcome. Throws CommunicationError if no store of this job answers by the
  // deadline, naming what answers instead; or at once if the job's store refuses this rank, or if the only port is that
  // of another job.
  StoreConnection run();

 private:
  using Clock = Deadline::Clock;

  // A place where the store may be.
  struct Candidate {
    SocketAddress address;
    std::uint16_t port = 0;
    UniqueFd fd;                      // empty between attempts
    bool connected = false;           // whether fd is
    std::string greeting;             // the bytes that have arrived
    Clock::time_point again;          // when to try again
    std::chrono::milliseconds pause;  // before the attempt after that
    std::string findings;             // what came of the last attempt
  };

  void start_attempts();
  void wait_for_events();
  bool advance(Candidate& candidate);  // returns whether a whole greeting has arrived
  std::optional<StoreConnection> enter(Candidate& candidate);
  void leave_other_job(Candidate& candidate, const std::string& findings);
  void try_again_soon(Candidate& candidate, std::string findings);
  void try_again(Candidate& candidate, std::string findings, std::chrono::milliseconds pause);
  std::string nothing_found() const;

  const WorldSettings& world_;
  const Deadline& deadline_;
  std::vector<Candidate> candidates_;
};

}  // namespace leat::detail
