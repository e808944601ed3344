#include "tests/transfer/support/pair_contract.h"

namespace leat::test {

std::vector<PairClause> pair_contract() {
  std::vector<PairClause> all;
  for (const auto& group : {pair_event_clauses(), pair_failure_clauses(), pair_copy_clauses()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

std::vector<std::pair<Device*, Device*>> device_pairs() {
  Device& cpu = host_device();
  const int gpus = cuda_device_count();
  if (gpus == 0) return {{&cpu, &cpu}};
  Device& gpu = cuda_device(0);
  std::vector<std::pair<Device*, Device*>> pairs{{&cpu, &gpu}, {&gpu, &cpu}};
  if (gpus > 1) {
    pairs.emplace_back(&gpu, &cuda_device(1));
    pairs.emplace_back(&cuda_device(1), &gpu);
  }
  return pairs;
}

std::string name_of(const std::pair<Device*, Device*>& pair) {
  return pair.first->name() + " and " + pair.second->name();
}

}  // namespace leat::test
