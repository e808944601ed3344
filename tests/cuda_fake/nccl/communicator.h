// What stands behind an ncclComm_t.
#pragma once

#include <nccl.h>

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_fake/machine.h"
#include "tests/cuda_fake/nccl/collective.h"

namespace leat::cuda_fake {

// The n-th transfer from one rank to another.
struct TransferKey {
  std::size_t from = 0, to = 0;
  std::uint64_t number = 0;
  auto operator<=>(const TransferKey&) const = default;
};

// The ranks that join under one id.
struct Clique {
  std::vector<ncclComm_t> members{};  // by rank; null: has not joined, or is gone
  std::size_t joined = 0;
  bool is_connected = false;  // all have joined, and none was gone by then
  std::map<std::uint64_t, std::shared_ptr<Collective>>
      collectives{};                                               // by number; those that are not complete
  std::map<TransferKey, std::shared_ptr<Collective>> transfers{};  // that are not complete
};

enum class Operation { none, joining, finalizing, collective };

}  // namespace leat::cuda_fake

struct ncclComm {
  std::shared_ptr<leat::cuda_fake::Clique> clique{};
  std::size_t rank = 0;
  int device = 0;
  leat::cuda_fake::Operation pending =
      leat::cuda_fake::Operation::none;  // that the caller must see the end of
  int polls_left = 0;
  bool hangs = false;                  // its state stays "in progress"
  ncclResult_t failure = ncclSuccess;  // the asynchronous error
  std::string last_error{};
  std::uint64_t calls = 0;                                  // collectives
  std::map<std::size_t, std::uint64_t> sent{}, received{};  // transfers, by the other rank
  leat::cuda_fake::NodePtr last{};                          // of the newest one
};

namespace leat::cuda_fake {

// Guarded by the machine's lock, as all that follows.
struct Library {
  static Library& get();
  std::uint64_t ids = 0;
  std::map<std::string, std::shared_ptr<Clique>> cliques;  // that not all ranks have joined
  std::set<ncclComm_t> communicators;
  std::string last_error;                                              // of calls without a communicator
  std::map<std::pair<std::string, std::size_t>, ncclResult_t> faults;  // by function and rank
  std::condition_variable faults_gone;
};

// Makes the communicator fail, as NCCL does for every error of a non-blocking one.
ncclResult_t fail(ncclComm_t communicator, ncclResult_t result, std::string text);
// The same for what a GPU may do silently: reports it.
ncclResult_t refuse(ncclComm_t communicator, ncclResult_t result, const std::string& text);

// Returns what a test wants of a function where this rank calls it; success: nothing special.
ncclResult_t fault_of(const char* function, std::size_t rank);
// The same, for functions that return the state of the communicator, which fails or hangs then.
ncclResult_t apply_fault(const char* function, ncclComm_t communicator);

// Joins the clique with this id. Ranks that share a GPU fail once all have joined.
ncclResult_t join(const std::string& id, std::size_t ranks, ncclComm_t communicator);
// Ends the communicator.
void leave(ncclComm_t communicator);

// Returns whether there is such a communicator, and reports it if not.
bool exists(const char* function, ncclComm_t communicator);
// Checks whether a function may use the communicator.
ncclResult_t check_ready(const char* function, ncclComm_t communicator);
// Begins an operation whose end the caller must see. Returns its state.
ncclResult_t begin(Machine::Lock& lock, ncclComm& communicator, Operation operation);
// Returns the state of what was begun last.
ncclResult_t poll(Machine::Lock& lock, ncclComm& communicator);

// Returns the collective that is the rank's next one, and reports it if other ranks have called another one.
Collective& next_collective(ncclComm& communicator, const CollectiveCall& call);

// Returns the transfer that is the rank's next one to or from a peer, and reports it if the other one's size differs.
Collective& next_transfer(ncclComm& communicator, const CollectiveCall& call, std::size_t peer, bool sends);

// Lets the rank's stream go on, wherever it waits for other ranks.
void abort_all(ncclComm& communicator);

}  // namespace leat::cuda_fake
