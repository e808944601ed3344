// Collectives between the ranks of one process: each reads and writes the others' memory.
#pragma once

#include <memory>

#include "leat/parallel/host/host_engine.h"
#include "leat/parallel/local/rendezvous.h"

namespace leat::detail {

class LocalEngine final : public HostEngine {
 public:
  LocalEngine(std::shared_ptr<Rendezvous> rendezvous, int rank)
      : rendezvous_(std::move(rendezvous)), rank_(rank) {}
  ~LocalEngine() override { rendezvous_->leave(rank_); }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return rendezvous_->ranks(); }
  std::string name() const override { return "local"; }
  void run(const CollectiveCall& call) override;
  void abort(std::string_view why) noexcept override { rendezvous_->fail(why); }

 private:
  void all_reduce(const CollectiveCall& call);
  void broadcast(const CollectiveCall& call);
  void all_gather(const CollectiveCall& call);

  const std::shared_ptr<Rendezvous> rendezvous_;  // shared by the group's ranks, which may end in any order
  const int rank_;
};

}  // namespace leat::detail
