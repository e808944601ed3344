// The fake's devices: queues of work, the threads that run it, and what is known about its order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cuda_fake/clock.h"
#include "tests/cuda_fake/fake_cuda.h"

namespace leat::cuda_fake {

// Bytes that work reads or writes.
struct Range {
  const std::byte* first = nullptr;
  std::size_t bytes = 0;
  Access access = Access::read;
};

bool overlap(const Range& a, const Range& b);

// A piece of work.
struct Work {
  std::string name;
  std::function<void()> run{};
  std::function<bool()> is_ready{};  // asked again and again until it lets the work run; none: it is ready
  std::vector<Range> ranges{};
  bool is_host_function = false;
};

// Work that was enqueued. It gets a clock, and its accesses are checked, once everything before it has a clock.
struct Node {
  Work work;
  std::uint64_t queue = 0;                     // its queue's number
  std::uint64_t number = 0;                    // in its queue, from 1
  std::uint64_t order = 0;                     // of all nodes
  std::vector<std::shared_ptr<Node>> after{};  // of other queues: does not run before these are done
  bool is_running = false;
  bool is_done = false;
  std::chrono::steady_clock::time_point end{};

  Clock clock{};                                          // what happens before its end
  bool has_clock = false;                                 // and its accesses are checked
  bool is_open = false;                                   // more may come before it
  std::vector<std::shared_ptr<Node>> before{}, behind{};  // its neighbors, until it has a clock
};
using NodePtr = std::shared_ptr<Node>;

struct Capture;

// The queue of a stream, or of one node of a graph that was launched.
struct Queue {
  std::uint64_t id = 0;
  int device = 0;
  bool is_blocking = false;  // waits for the legacy stream, and it for this one
  bool is_legacy = false;
  bool is_temporary = false;    // dropped once it is empty
  std::deque<NodePtr> nodes{};  // not done
  NodePtr last{};               // the newest; null: there was none
  std::uint64_t count = 0;
  std::shared_ptr<Capture> capture{};       // null: work runs
  std::vector<std::size_t> capture_tail{};  // nodes of the graph that the next one comes after
};

// Threads: any. The caller of the members that take a lock holds it on `mutex`, which guards all of the fake's state;
// work runs without it.
class Machine {
 public:
  using Lock = std::unique_lock<std::mutex>;

  static Machine& get();  // never destroyed
  int devices() const noexcept { return devices_; }

  std::mutex mutex;

  // --- Work.
  std::shared_ptr<Queue> make_queue(int device, bool is_blocking);
  void drop_queue(const std::shared_ptr<Queue>& queue);  // once its work is done
  // Enqueues work behind the queue's newest and behind `after`. If the work has an is_ready(), the node is open: what
  // the host, or work that is enqueued later, does before the work becomes ready may come before it. The node gets its
  // clock after close(), at the latest when it begins to run.
  NodePtr enqueue(Lock& lock, Queue& queue, Work work, std::vector<NodePtr> after = {});
  // Says that an open node comes behind another one, too. It may begin to run before that one is done.
  void add_before(const NodePtr& open, const NodePtr& before);
  // Says that nothing else comes before an open node.
  void close(const NodePtr& open);
  // Blocks until the node has run; null: does not block. What is enqueued later comes after the node. Ends the program
  // with a list of what is queued if it takes longer than a minute.
  void wait_for(Lock& lock, const NodePtr& node);
  void wait_for_device(Lock& lock, int device);
  // Notes that the host has seen the node's end.
  void observe(const Node& node);
  // Forgets who used memory that is given back, since it may be handed out again.
  void forget_accesses(std::span<const std::byte> memory);
  // Lets one piece of work run, since a thread asks again and again.
  void let_one_run(Lock& lock);
  std::vector<std::shared_ptr<Queue>> queues_of(int device) const;

  // --- The order.
  enum class Mode { free, random, held };
  void set_mode(Lock& lock, Mode mode, std::uint64_t seed);
  bool step(Lock& lock, Queue& queue);
  // Runs a function on the thread of host functions, behind those that it has begun.
  void run_on_host_thread(std::function<void()> function);

  // --- What goes wrong.
  void report(std::string violation);  // the caller holds the lock
  std::vector<std::string> take_violations();
  void drop_work(Lock& lock);  // what runs, runs to its end

  // Tells whether the calling thread runs a host function.
  static bool in_host_function() noexcept;

 private:
  struct Accessed {
    Range range;
    std::uint64_t queue = 0, number = 0;
    std::string name;
  };

  Machine();
  void run_devices();
  void run_host_functions();
  Queue* choose();
  static bool is_ready(const Queue& queue);
  void begin(Lock& lock, Queue& queue);
  void finish(Queue& queue, const NodePtr& node);
  void make_clocks(const NodePtr& first);
  void make_clock(Node& node);
  void check_accesses(const Node& node);
  bool must_poll() const;
  std::vector<std::string> describe_queues() const;

  const int devices_;

  std::condition_variable work_changed_;         // the devices' thread waits for it
  std::condition_variable host_function_added_;  // the thread of host functions waits for it
  std::condition_variable work_done_;            // the host's threads wait for it
  std::vector<std::shared_ptr<Queue>> queues_;
  std::deque<std::pair<std::shared_ptr<Queue>, NodePtr>> host_functions_;
  std::uint64_t next_queue_ = 1;
  std::uint64_t next_order_ = 0;
  Clock host_clock_;                // what any thread of the host has waited for
  std::vector<Accessed> accesses_;  // that the host has not waited for
  std::vector<std::string> violations_;
  Mode mode_ = Mode::free;
  std::mt19937_64 random_;
  std::size_t allowed_ = 0;   // pieces of work that may run in a random order, before somebody waits
  int waiting_ = 0;           // threads of the host
  NodePtr running_{};         // work of a device that runs
  Queue* stepped_ = nullptr;  // whose next work is to run, by step()
};

}  // namespace leat::cuda_fake
