#include "tests/cuda_fake/kernel.h"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/cuda_fake/runtime.h"
#include "tests/interleaving/fiber.h"

namespace leat::cuda_fake {

namespace {

using interleaving::Fiber;

constexpr unsigned kWarp = 32;
constexpr unsigned kMaxThreads = 1024;  // of a block
constexpr unsigned kMaxGrid = 65535;    // in its second and third dimension

// One block. A carrier is a fiber that runs threads one after the other; when a thread waits, its carrier stays with
// it, and the threads that have not begun go on on another one. So a kernel whose threads never wait takes one.
class Block {
 public:
  Block(dim3 shape, const std::function<void()>& thread) : shape_(shape), thread_(thread) {
    threads_.resize(std::size_t{shape.x} * shape.y * shape.z);
  }

  void run() {
    running = this;
    while (next_ < threads_.size()) resume(free_carrier());
    while (std::ranges::any_of(threads_, [](const Thread& thread) { return thread.state == State::waiting; }))
      wake();
  }

  // Called by a kernel's thread.
  std::uint64_t wait(bool is_block, unsigned members, std::uint64_t value, unsigned mask) {
    const std::size_t own = current_;
    Thread& thread = threads_[own];
    thread = {State::waiting, is_block, members, value, mask, 0, carrier_};
    Fiber::switch_to(thread.carrier->fiber, scheduler());
    enter(own);
    return thread.result;
  }

  static Block* running;  // only the thread of the devices runs kernels

 private:
  enum class State { running, waiting, ready, done };  // running: or not begun
  struct Carrier {
    Fiber fiber;
    bool is_free = true;
  };
  struct Thread {
    State state = State::running;
    bool waits_for_block = false;
    unsigned members = 0;
    std::uint64_t value = 0;
    unsigned mask = 0;
    std::uint64_t result = 0;
    Carrier* carrier = nullptr;
  };

  static Fiber& scheduler() {
    static Fiber fiber;
    return fiber;
  }

  static Carrier& free_carrier() {
    static auto* const carriers = new std::vector<std::unique_ptr<Carrier>>;
    auto found = std::ranges::find_if(*carriers, [](const auto& carrier) { return carrier->is_free; });
    if (found == carriers->end()) {
      carriers->push_back(std::make_unique<Carrier>());
      found = std::prev(carriers->end());
      Carrier& made = **found;
      made.fiber.start([&made] {
        while (true) {
          running->carry();
          made.is_free = true;
          Fiber::switch_to(made.fiber, scheduler());
        }
      });
    }
    (*found)->is_free = false;
    return **found;
  }

  void resume(Carrier& carrier) {
    carrier_ = &carrier;
    Fiber::switch_to(scheduler(), carrier.fiber);
  }

  void enter(std::size_t thread) {
    current_ = thread;
    const auto place = static_cast<unsigned>(thread);
    threadIdx = {place % shape_.x, place / shape_.x % shape_.y, place / shape_.x / shape_.y};
  }

  void carry() {
    while (next_ < threads_.size()) {
      const std::size_t own = next_++;
      enter(own);
      thread_();
      threads_[own].state = State::done;
    }
  }

  // Wakes all threads whose partners have come. If there are none, the kernel would hang: says so and wakes all.
  void wake() {
    for (std::size_t warp = 0; warp < threads_.size(); warp += kWarp) exchange_in(warp);
    const bool all_wait = std::ranges::all_of(threads_, [](const Thread& thread) {
      return thread.state == State::done || (thread.state == State::waiting && thread.waits_for_block);
    });
    if (all_wait) make_ready([](const Thread&) { return true; });
    if (std::ranges::none_of(threads_, [](const Thread& thread) { return thread.state == State::ready; })) {
      complain("threads of a kernel wait for others that never come");
      make_ready([](const Thread&) { return true; });
    }
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (threads_[i].state != State::ready) continue;
      threads_[i].state = State::running;
      resume(*threads_[i].carrier);
    }
  }

  template <class Predicate>
  void make_ready(Predicate which) {
    for (Thread& thread : threads_) {
      if (thread.state == State::waiting && which(thread)) thread.state = State::ready;
    }
  }

  void exchange_in(std::size_t warp) {
    const std::size_t end = std::min(warp + kWarp, threads_.size());
    const auto waits = [](const Thread& thread) {
      return thread.state == State::waiting && !thread.waits_for_block;
    };
    const auto is_member = [&](std::size_t i, unsigned members) { return (members >> (i - warp) & 1) != 0; };
    for (std::size_t i = warp; i < end; ++i) {
      if (!waits(threads_[i])) continue;
      const unsigned members = threads_[i].members;
      bool all_here = true;
      for (std::size_t j = warp; j < end; ++j) {
        if (is_member(j, members) && threads_[j].state != State::done && !waits(threads_[j]))
          all_here = false;
      }
      if (!all_here) continue;
      for (std::size_t j = warp; j < end; ++j) {
        if (!is_member(j, members) || !waits(threads_[j])) continue;
        const std::size_t partner = warp + ((j - warp) ^ threads_[j].mask);
        if (partner >= end || !is_member(partner, members) || threads_[partner].state == State::done) {
          complain("a thread of a kernel reads the value of a thread that is not there");
        } else {
          threads_[j].result = threads_[partner].value;
        }
      }
      for (std::size_t j = warp; j < end; ++j) {
        if (is_member(j, members) && waits(threads_[j])) threads_[j].state = State::ready;
      }
    }
  }

  static void complain(const char* what) {
    const Machine::Lock lock(Machine::get().mutex);
    Machine::get().report(what);
  }

  const dim3 shape_;
  const std::function<void()>& thread_;
  std::vector<Thread> threads_;
  std::size_t next_ = 0;     // thread that has not begun
  std::size_t current_ = 0;  // thread that runs
  Carrier* carrier_ = nullptr;
};

Block* Block::running = nullptr;

bool is_valid(const dim3& grid, const dim3& block) {
  const bool has_threads =
      grid.x > 0 && grid.y > 0 && grid.z > 0 && block.x > 0 && block.y > 0 && block.z > 0;
  return has_threads && grid.x <= 0x7fffffff && grid.y <= kMaxGrid && grid.z <= kMaxGrid &&
         std::size_t{block.x} * block.y * block.z <= kMaxThreads;
}

// Tells whether a kernel on this device may use the address.
bool is_reachable(const void* address, int device) {
  const Runtime& runtime = Runtime::get();
  if (address == nullptr || runtime.is_registered(address, 1, device)) return true;
  const auto* const allocation = runtime.find(address);
  return allocation != nullptr &&
         (allocation->second.device == device || runtime.peers.contains({device, allocation->second.device}));
}

}  // namespace

void run_grid(dim3 blocks, dim3 threads, const std::function<void()>& thread) {
  gridDim = blocks;
  blockDim = threads;
  for (unsigned z = 0; z < blocks.z; ++z) {
    for (unsigned y = 0; y < blocks.y; ++y) {
      for (unsigned x = 0; x < blocks.x; ++x) {
        blockIdx = {x, y, z};
        Block(threads, thread).run();
      }
    }
  }
}

void* host_alias(const void* address) {
  if (is_foreign_process()) return const_cast<void*>(address);
  const Machine::Lock lock(Machine::get().mutex);
  std::byte* const alias = Runtime::get().alias_of(address);
  return alias == nullptr ? const_cast<void*>(address) : alias;
}

cudaError_t launch(const cudaLaunchConfig_t& config, std::vector<const void*> addresses,
                   std::function<void()> thread) {
  return call_on(
      config.stream, "cudaLaunchKernelEx", Kind::plain,
      [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
        Runtime& runtime = Runtime::get();
        if (queue->device != current_device()) return cudaErrorInvalidResourceHandle;
        if (!is_valid(config.gridDim, config.blockDim)) return cudaErrorInvalidConfiguration;
        ++runtime.counts.kernels;
        const bool is_sound = std::ranges::all_of(
            addresses, [&](const void* address) { return is_reachable(address, queue->device); });
        if (!is_sound) {  // which a GPU notices when the kernel runs
          runtime.enqueue(lock, *queue, {.name = "kernel", .run = [] { lose(cudaErrorIllegalAddress); }});
          return cudaSuccess;
        }
        runtime.enqueue(lock, *queue,
                        {.name = "kernel",
                         .run = [blocks = config.gridDim, threads = config.blockDim,
                                 thread = std::move(thread)] { run_grid(blocks, threads, thread); }});
        return cudaSuccess;
      });
}

std::uint64_t exchange(unsigned members, std::uint64_t value, unsigned mask) {
  return Block::running->wait(false, members, value, mask);
}

void wait_for_warp(unsigned members) {
  Block::running->wait(false, members, 0, 0);
}

void wait_for_block() {
  Block::running->wait(true, 0, 0, 0);
}

}  // namespace leat::cuda_fake
