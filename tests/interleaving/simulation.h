// Processes that share memory, played one at a time on one thread. Every access to a shared word is a step: before
// it, another process may go on, or the one at work may end as if killed. The code between the steps is the
// loader's own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/interleaving/choices.h"
#include "tests/interleaving/fiber.h"

namespace leat::detail {}

namespace leat::interleaving {

using namespace leat::detail;

struct Cell {
  void* address;
  std::size_t size;
};

// What the simulated machine, or the stand-ins for the fork server and the kernel, do wrong: to see that it is noticed.
enum class Fault {
  none,
  split_compare_exchange,  // it is a comparison, and later a store
  late_stores,             // sequentially consistent stores wait in a buffer, as weaker ones may
  stale_fork_server,       // the fork server's loads answer with what was there when it began to take back
  deaf_futex,              // it sleeps whatever its word holds
  no_fence,                // the fork server takes back what a worker holds that still runs
  unreported_deaths,       // the parent does not hear of them
};

// How a process that is at a step can end, and what it was doing.
struct Death {
  std::optional<std::uint64_t> begun;  // the last sample that it began, of any chunk
  bool inside = false;                 // and did not end
};

class Simulation {
 public:
  static constexpr std::size_t kParent = 0, kForkServer = 1, kFirstWorker = 2;

  Simulation(std::size_t workers, std::size_t rows_per_chunk, Fault fault);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  static Simulation& current();

  // Plays `parent` to its end, and whatever it starts. What went wrong; nullopt: nothing.
  std::optional<std::string> play(Choices& choices, const std::function<void()>& parent);
  // Stores weaker than sequentially consistent stay in a buffer until the process's next strong store, swap that
  // releases, or system call: the latest that C++ allows them to be seen. Otherwise all stores are seen at once.
  void delay_weak_stores(bool yes) { delay_ = yes; }
  void trace(bool yes) { tracing_ = yes; }
  const std::vector<std::string>& steps() const { return trace_; }  // of the last play, where it was traced
  std::size_t step_count() const { return steps_; }

  // --- shared words
  std::uint64_t load(Cell cell, std::source_location where);
  void store(Cell cell, std::uint64_t value, std::memory_order order, std::source_location where);
  void begin_swap(Cell cell, std::memory_order order, std::source_location where);
  void inside_compare_exchange(std::source_location where);
  void shared_memory_taken(std::span<std::byte> bytes) { shared_ = bytes; }

  // --- processes
  void step(std::source_location where = std::source_location::current());
  void block(const std::function<bool()>& until,
             std::source_location where = std::source_location::current());
  void start(std::size_t process, std::function<void()> body);
  [[noreturn]] void die();  // the one at work: as if killed
  bool decide(Cost cost);   // whether that happens now
  [[noreturn]] void fail(const std::string& what);
  void require(bool condition, const char* otherwise) {
    if (!condition) fail(otherwise);
  }
  // Of the checks: no steps are taken in it.
  template <class F>
  auto aside(F&& look) {
    const bool before = std::exchange(aside_, true);
    auto result = look();
    aside_ = before;
    return result;
  }

  // --- the kernel
  bool memory_is_short = false;  // for what is taken later
  void sleep_on(const void* word, const std::function<bool()>& unchanged);
  void wake_all(const void* word);
  bool signaled = false;  // the eventfd
  bool told = false;      // a report of the fork server's waits for the parent
  bool runs(std::size_t process) const { return processes_[process].runs; }
  bool take_ended(std::size_t process);  // reaps it, if it has died
  bool has_ended(std::size_t process) const { return processes_[process].ended; }
  std::size_t processes() const { return processes_.size(); }
  void begin_taking_back();
  void end_taking_back() { stale_.clear(); }
  void workers_are_safe() { mortal_ = false; }

  // --- what the dataset tells of, to be checked
  void begin_row(const void* row, std::uint64_t index);
  void end_row();
  bool is_inside_row(std::size_t process) const { return processes_[process].row != nullptr; }
  const std::vector<Death>& deaths() const { return deaths_; }

  std::size_t rows_per_chunk() const { return rows_per_chunk_; }
  Fault fault() const { return fault_; }

 private:
  struct LateStore {
    Cell cell;
    std::uint64_t value;
  };
  struct Process {
    Fiber fiber;
    bool runs = false;
    bool ended = false;                            // died, and not reaped
    const std::function<bool()>* until = nullptr;  // it blocks
    const void* sleeps_on = nullptr;
    std::vector<LateStore> late;
    const void* row = nullptr;  // that it writes
    Death doing;
  };
  struct Option {
    std::size_t process;
    Cost cost;
  };
  class Options;

  bool enabled(std::size_t process) const;
  Options options();
  void go_on_elsewhere();
  void switch_to(std::size_t process);
  void flush();
  std::uint64_t read(Cell cell) const;
  static void write(Cell cell, std::uint64_t value);
  void note(std::source_location where);
  std::string name(std::size_t process) const;
  void reset(Choices& choices);

  const std::size_t rows_per_chunk_;
  const Fault fault_;
  bool delay_ = false;
  bool tracing_ = false;

  Choices* choices_ = nullptr;
  Fiber outside_;
  std::vector<Process> processes_;
  std::size_t at_work_ = kParent;
  bool aside_ = false;
  bool mortal_ = true;
  std::size_t steps_ = 0;
  std::optional<std::string> failure_;
  std::vector<Death> deaths_;
  std::vector<std::string> trace_;
  std::span<std::byte> shared_;
  std::vector<std::byte> stale_;  // of shared_, as the fork server sees it
};

}  // namespace leat::interleaving
