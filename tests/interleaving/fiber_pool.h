// The workers and the fork server of a DataLoader that runs in a simulation. start_worker_processes() is defined in the
// source file: the loader finds it in the place of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/loader/workers/worker_pool.h"
#include "tests/interleaving/simulation.h"

namespace leat::interleaving {

// What ForkServerProcess does, without processes: reap() and start() are its functions of these names.
class FiberForkServer {
 public:
  explicit FiberForkServer(const WorkerJob& job);

  void run();
  void close() { closing_ = true; }

 private:
  bool anything_to_do() const;
  void reap(std::size_t worker);
  void start(std::size_t worker);
  bool may_be_too_early() const;
  void take_back_too_early();
  void report();

  const WorkerJob& job_;
  std::vector<bool> pending_;
  bool closing_ = false;
  bool was_too_early_ = false;
};

// The loader's table, as long as a simulated loader is open.
SlotTable& table_of_the_loader();

}  // namespace leat::interleaving
