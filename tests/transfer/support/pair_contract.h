// What every two devices must do together, as checks that run over each pair of them. The two may be the same device.
// Nothing here measures time, and host work of two GPUs never waits for each other: it may run on one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::test {

struct PairClause {
  const char* name;
  void (*check)(Device& first, Device& second);
};

std::vector<PairClause> pair_event_clauses();
std::vector<PairClause> pair_failure_clauses();
std::vector<PairClause> pair_copy_clauses();

// All of the above.
std::vector<PairClause> pair_contract();

// The pairs of the CPU and the first two GPUs, in both orders, of those that exist; (cpu, cpu) only if there is no GPU.
std::vector<std::pair<Device*, Device*>> device_pairs();

std::string name_of(const std::pair<Device*, Device*>& pair);

}  // namespace leat::test
