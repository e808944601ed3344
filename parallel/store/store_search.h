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
// nothing, or nothing more, costs no time, and repeats what fails until the deadline: rank 0 may come later. Says hello
// wherever it is greeted as by a store. Not thread-safe.
class StoreSearch {
 public:
  StoreSearch(const WorldSettings& world, const Deadline& deadline);

  // Returns the connection after the welcome. Throws CommunicationError if no store of this job answers by the
  // deadline, naming what answers instead; or at once if the job's store refuses this rank, or if the only port is that
  // of another job.
  StoreConnection run();

 private:
  using Clock = Deadline::Clock;

  enum class Step { connect, greeting, welcome };  // what the candidate waits for

  // A place where the store may be.
  struct Candidate {
    SocketAddress address;
    std::uint16_t port = 0;
    UniqueFd fd;                      // empty between attempts
    Step step = Step::connect;        // of the attempt
    std::string received;             // the bytes of the greeting or welcome that have arrived
    std::string server_nonce, hello;  // what the welcome answers
    Clock::time_point again;          // when to try again; while waiting for a welcome: when to give up
    std::chrono::milliseconds pause;  // before the attempt after that
    std::string findings;             // what came of the last attempt
  };

  void start_attempts();
  void wait_for_events();
  std::optional<StoreConnection> advance(Candidate& candidate);
  bool is_connected(Candidate& candidate);
  bool receive(Candidate& candidate, std::size_t bytes);  // returns whether so many bytes have arrived
  bool greeted(Candidate& candidate);
  void say_hello(Candidate& candidate);
  bool welcomed(Candidate& candidate);
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
