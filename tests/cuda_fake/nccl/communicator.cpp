#include "tests/cuda_fake/nccl/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/cuda_fake/nccl/fake_nccl.h"

namespace leat::cuda_fake {

namespace {

bool is_settled(const ncclComm& communicator) {
  switch (communicator.pending) {
    case Operation::joining:
      return communicator.clique->is_connected;
    case Operation::finalizing:
      return communicator.last == nullptr || communicator.last->is_done;
    default:
      return true;
  }
}

// Once all ranks have joined, those that share a GPU fail. The others are not told.
void check_devices(Clique& clique) {
  for (const ncclComm_t one : clique.members) {
    for (const ncclComm_t other : clique.members) {
      if (one != other && one->device == other->device) {
        clique.is_connected = false;
        fail(one, ncclInvalidUsage,
             fmt::format("Duplicate GPU detected : rank {} and rank {} both on CUDA device {}", one->rank,
                         other->rank, one->device));
      }
    }
  }
}

void check_agreement(const ncclComm& communicator, Collective& collective, const CollectiveCall& call) {
  if (collective.call() == call) return;
  collective.give_up();
  Machine::get().report(fmt::format("rank {} calls {} where another rank calls {}", communicator.rank,
                                    to_string(call), to_string(collective.call())));
}

}  // namespace

Library& Library::get() {
  static auto* const library = new Library;  // never destroyed: static objects may own communicators
  return *library;
}

ncclResult_t fail(ncclComm_t communicator, ncclResult_t result, std::string text) {
  communicator->failure = result;
  communicator->last_error = std::move(text);
  return result;
}

ncclResult_t refuse(ncclComm_t communicator, ncclResult_t result, const std::string& text) {
  Machine::get().report(text);
  return fail(communicator, result, text);
}

bool exists(const char* function, ncclComm_t communicator) {
  if (Library::get().communicators.contains(communicator)) return true;
  Machine::get().report(fmt::format("{}: the communicator is gone", function));
  return false;
}

ncclResult_t poll(Machine::Lock& lock, ncclComm& communicator) {
  if (communicator.failure != ncclSuccess) return communicator.failure;
  if (communicator.pending == Operation::none) return ncclSuccess;
  if (fake_nccl().hang || communicator.hangs || !is_settled(communicator) || communicator.polls_left-- > 0) {
    Machine::get().let_one_run(lock);
    return ncclInProgress;
  }
  communicator.pending = Operation::none;
  return ncclSuccess;
}

ncclResult_t begin(Machine::Lock& lock, ncclComm& communicator, Operation operation) {
  communicator.pending = operation;
  communicator.polls_left = fake_nccl().polls_in_progress;
  return poll(lock, communicator);
}

ncclResult_t check_ready(const char* function, ncclComm_t communicator) {
  if (!exists(function, communicator)) return ncclInvalidArgument;
  if (communicator->failure != ncclSuccess) return communicator->failure;
  if (communicator->pending == Operation::none) return ncclSuccess;
  ++fake_nccl().calls_while_busy;
  return fail(communicator, ncclInvalidArgument,
              "Attempt to use communicator before the previous operation returned ncclSuccess");
}

ncclResult_t fault_of(const char* function, std::size_t rank) {
  const auto& faults = Library::get().faults;
  const auto found = faults.find({function, rank});
  return found == faults.end() ? ncclSuccess : found->second;
}

ncclResult_t apply_fault(const char* function, ncclComm_t communicator) {
  const ncclResult_t fault = fault_of(function, communicator->rank);
  if (fault == ncclInProgress) {
    communicator->hangs = true;
    communicator->pending = Operation::collective;
    return ncclInProgress;
  }
  return fault == ncclSuccess ? ncclSuccess : fail(communicator, fault, "a test wants it so");
}

ncclResult_t join(const std::string& id, std::size_t ranks, ncclComm_t communicator) {
  auto& cliques = Library::get().cliques;
  std::shared_ptr<Clique>& clique = cliques[id];
  if (clique == nullptr) clique = std::make_shared<Clique>(Clique{.members = std::vector<ncclComm_t>(ranks)});
  if (clique->members.size() != ranks || clique->members[communicator->rank] != nullptr)
    return ncclInvalidArgument;
  clique->members[communicator->rank] = communicator;
  communicator->clique = clique;
  if (fake_nccl().has_other_processes) clique->is_connected = true;
  if (++clique->joined < ranks) return ncclSuccess;
  clique->is_connected = std::ranges::find(clique->members, nullptr) == clique->members.end();
  if (clique->is_connected) check_devices(*clique);
  cliques.erase(id);
  return ncclSuccess;
}

Collective& next_collective(ncclComm& communicator, const CollectiveCall& call) {
  Clique& clique = *communicator.clique;
  std::erase_if(clique.collectives, [](const auto& each) { return each.second->is_complete(); });
  std::shared_ptr<Collective>& collective = clique.collectives[communicator.calls++];
  if (collective == nullptr) {
    std::vector<std::size_t> ranks(clique.members.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    collective = std::make_shared<Collective>(call, std::move(ranks));
  }
  check_agreement(communicator, *collective, call);
  return *collective;
}

Collective& next_transfer(ncclComm& communicator, const CollectiveCall& call, std::size_t peer, bool sends) {
  Clique& clique = *communicator.clique;
  std::erase_if(clique.transfers, [](const auto& each) { return each.second->is_complete(); });
  const std::size_t own = communicator.rank;
  const TransferKey key{.from = sends ? own : peer,
                        .to = sends ? peer : own,
                        .number = (sends ? communicator.sent : communicator.received)[peer]++};
  std::shared_ptr<Collective>& transfer = clique.transfers[key];
  if (transfer == nullptr) transfer = std::make_shared<Collective>(call, std::vector{key.from, key.to});
  check_agreement(communicator, *transfer, call);
  return *transfer;
}

void abort_all(ncclComm& communicator) {
  for (const auto& [number, collective] : communicator.clique->collectives)
    collective->abort(communicator.rank);
  for (const auto& [key, transfer] : communicator.clique->transfers) {
    if (key.from == communicator.rank) transfer->abort(0);
    if (key.to == communicator.rank) transfer->abort(1);
  }
}

void leave(ncclComm_t communicator) {
  communicator->clique->members[communicator->rank] = nullptr;
  Library::get().communicators.erase(communicator);
  delete communicator;
}

}  // namespace leat::cuda_fake
