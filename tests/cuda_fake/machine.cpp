#include "tests/cuda_fake/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace leat::cuda_fake {

namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 60s;
// In a random order, work that nobody waits for by a function of CUDA's runs after so long.
constexpr auto kIdle = 2ms;
// Words of the host that streams wait for are looked at so often.
constexpr auto kPoll = 100us;
constexpr int kExitOfViolations = 70;

thread_local bool runs_host_function = false;
thread_local bool runs_devices = false;

int number_of_devices() {
  const char* const number = std::getenv("LEAT_FAKE_GPUS");
  return number == nullptr ? 2 : std::atoi(number);
}

// Ends the program with an error if violations are left.
struct LastLook {
  const pid_t process = ::getpid();
  ~LastLook() {
    if (::getpid() != process) return;  // the fake's threads run in the process that called it first
    Machine& machine = Machine::get();
    const Machine::Lock lock(machine.mutex);
    const std::vector<std::string> left = machine.take_violations();
    if (left.empty()) return;
    for (const std::string& violation : left) fmt::print(stderr, "fake CUDA: {}\n", violation);
    std::fflush(stderr);
    ::_exit(kExitOfViolations);
  }
};

void put_before(const NodePtr& node, const NodePtr& before) {
  node->before.push_back(before);
  if (!before->has_clock) before->behind.push_back(node);
}

// Says that the node's clock is made. Returns the nodes behind it.
std::vector<NodePtr> settle(Node& node) {
  node.has_clock = true;
  node.is_open = false;
  node.before.clear();  // a chain of nodes would be freed by recursion
  return std::exchange(node.behind, {});
}

}  // namespace

bool overlap(const Range& a, const Range& b) {
  return a.first < b.first + b.bytes && b.first < a.first + a.bytes;
}

Machine& Machine::get() {
  static Machine* const machine = [] {
    auto* const made = new Machine;
    std::thread([made] { made->run_devices(); }).detach();
    std::thread([made] { made->run_host_functions(); }).detach();
    return made;
  }();
  static const LastLook look;
  return *machine;
}

Machine::Machine() : devices_(number_of_devices()) {}

bool Machine::in_host_function() noexcept {
  return runs_host_function;
}

std::shared_ptr<Queue> Machine::make_queue(int device, bool is_blocking) {
  auto queue = std::make_shared<Queue>();
  queue->id = next_queue_++;
  queue->device = device;
  queue->is_blocking = is_blocking;
  queues_.push_back(queue);
  return queue;
}

void Machine::drop_queue(const std::shared_ptr<Queue>& queue) {
  queue->is_temporary = true;
  if (queue->nodes.empty()) std::erase(queues_, queue);
}

std::vector<std::shared_ptr<Queue>> Machine::queues_of(int device) const {
  std::vector<std::shared_ptr<Queue>> found;
  std::ranges::copy_if(queues_, std::back_inserter(found),
                       [&](const auto& queue) { return queue->device == device; });
  return found;
}

NodePtr Machine::enqueue(Lock&, Queue& queue, Work work, std::vector<NodePtr> after) {
  for (const auto& other : queues_) {
    const bool is_ordered = other->device == queue.device && ((queue.is_legacy && other->is_blocking) ||
                                                              (queue.is_blocking && other->is_legacy));
    if (is_ordered && other->last != nullptr) after.push_back(other->last);
  }
  auto node = std::make_shared<Node>(Node{.work = std::move(work),
                                          .queue = queue.id,
                                          .number = ++queue.count,
                                          .order = next_order_++,
                                          .after = std::move(after)});
  node->is_open = static_cast<bool>(node->work.is_ready);
  if (queue.last != nullptr) put_before(node, queue.last);
  for (const NodePtr& before : node->after) put_before(node, before);
  make_clocks(node);
  queue.last = node;
  queue.nodes.push_back(node);
  if (mode_ == Mode::random) allowed_ += random_() % 4;
  work_changed_.notify_one();
  return node;
}

void Machine::add_before(const NodePtr& open, const NodePtr& before) {
  if (open->is_open) put_before(open, before);
}

void Machine::close(const NodePtr& open) {
  open->is_open = false;
  make_clocks(open);
}

// Makes the clock of a node if it runs or if everything before it is known, and then those of the nodes behind it.
void Machine::make_clocks(const NodePtr& first) {
  std::vector<NodePtr> nodes{first};
  while (!nodes.empty()) {
    const NodePtr node = std::move(nodes.back());
    nodes.pop_back();
    const bool is_known = !node->is_open && std::ranges::all_of(node->before, &Node::has_clock);
    if (node->has_clock || !(node->is_running || is_known)) continue;
    make_clock(*node);
    std::ranges::move(settle(*node), std::back_inserter(nodes));
  }
}

// What the host has seen by now happens before the node, and before all that is enqueued from now on. So no clock
// contains it.
void Machine::make_clock(Node& node) {
  for (const NodePtr& before : node.before) node.clock.join(before->clock);
  node.clock.drop(host_clock_);
  check_accesses(node);
  node.clock.add(node.queue, node.number);
}

void Machine::check_accesses(const Node& node) {
  if (node.work.ranges.empty()) return;
  std::erase_if(accesses_, [&](const Accessed& accessed) {
    return host_clock_.includes(accessed.queue, accessed.number);
  });
  for (const Range& range : node.work.ranges) {
    for (const Accessed& before : accesses_) {
      if (range.access == Access::read && before.range.access == Access::read) continue;
      if (!overlap(range, before.range) || before.queue == node.queue ||
          node.clock.includes(before.queue, before.number))
        continue;
      const auto verb = [](Access access) { return access == Access::read ? "reads" : "writes"; };
      report(fmt::format(
          "{} of stream {} {} {} bytes at {}, where {} of stream {} {} {} bytes at {}: nothing orders them",
          node.work.name, node.queue, verb(range.access), range.bytes, fmt::ptr(range.first), before.name,
          before.queue, verb(before.range.access), before.range.bytes, fmt::ptr(before.range.first)));
    }
    accesses_.push_back({range, node.queue, node.number, node.work.name});
  }
}

void Machine::forget_accesses(std::span<const std::byte> memory) {
  const Range all{memory.data(), memory.size()};
  std::erase_if(accesses_, [&](const Accessed& accessed) { return overlap(accessed.range, all); });
}

void Machine::observe(const Node& node) {
  host_clock_.join(node.clock);
}

void Machine::wait_for(Lock& lock, const NodePtr& node) {
  if (node == nullptr) return;
  ++waiting_;
  work_changed_.notify_one();
  if (!work_done_.wait_for(lock, kLongestWait, [&] { return node->is_done; })) {
    fmt::print(stderr, "fake CUDA: {} of stream {} has not run for a minute; queued are:\n{}\n",
               node->work.name, node->queue, fmt::join(describe_queues(), "\n"));
    std::abort();
  }
  --waiting_;
  observe(*node);
}

void Machine::wait_for_device(Lock& lock, int device) {
  for (const auto& queue : queues_of(device)) wait_for(lock, queue->last);
}

void Machine::let_one_run(Lock&) {
  ++allowed_;
  work_changed_.notify_one();
}

void Machine::set_mode(Lock&, Mode mode, std::uint64_t seed) {
  mode_ = mode;
  random_.seed(seed);
  allowed_ = 0;
  work_changed_.notify_one();
}

bool Machine::is_ready(const Queue& queue) {
  if (queue.nodes.empty() || queue.nodes.front()->is_running) return false;
  const Node& next = *queue.nodes.front();
  return std::ranges::all_of(next.after, [](const NodePtr& node) { return node->is_done; }) &&
         (!next.work.is_ready || next.work.is_ready());
}

bool Machine::must_poll() const {
  return mode_ != Mode::held && std::ranges::any_of(queues_, [](const auto& queue) {
           return !queue->nodes.empty() && queue->nodes.front()->work.is_ready;
         });
}

Queue* Machine::choose() {
  std::vector<Queue*> ready;
  for (const auto& queue : queues_) {
    if (is_ready(*queue)) ready.push_back(queue.get());
  }
  if (ready.empty()) return nullptr;
  if (mode_ == Mode::random) return ready[random_() % ready.size()];
  return *std::ranges::min_element(ready, {}, [](const Queue* queue) { return queue->nodes.front()->order; });
}

void Machine::run_devices() {
  runs_devices = true;
  Lock lock(mutex);
  while (true) {
    if (stepped_ != nullptr) {
      begin(lock, *std::exchange(stepped_, nullptr));
      continue;
    }
    Queue* const queue = mode_ == Mode::held ? nullptr : choose();
    if (queue == nullptr && must_poll()) {
      work_changed_.wait_for(lock, kPoll);
    } else if (queue == nullptr) {
      work_changed_.wait(lock);
    } else if (mode_ == Mode::random && allowed_ == 0 && waiting_ == 0) {
      if (work_changed_.wait_for(lock, kIdle) == std::cv_status::timeout) ++allowed_;
    } else {
      if (allowed_ > 0) --allowed_;
      begin(lock, *queue);
    }
  }
}

void Machine::begin(Lock& lock, Queue& queue) {
  const NodePtr node = queue.nodes.front();
  const auto owner = std::ranges::find(queues_, &queue, &std::shared_ptr<Queue>::get);
  const std::shared_ptr<Queue> kept = *owner;
  node->is_running = true;
  make_clocks(node);
  if (node->work.is_host_function) {
    host_functions_.emplace_back(kept, node);
    host_function_added_.notify_one();
    return;
  }
  running_ = node;
  lock.unlock();
  if (node->work.run) node->work.run();
  lock.lock();
  running_ = nullptr;
  finish(queue, node);
}

void Machine::run_host_functions() {
  runs_host_function = true;
  Lock lock(mutex);
  while (true) {
    host_function_added_.wait(lock, [this] { return !host_functions_.empty(); });
    const auto [queue, node] = host_functions_.front();
    host_functions_.pop_front();
    lock.unlock();
    node->work.run();
    lock.lock();
    if (queue != nullptr) finish(*queue, node);
  }
}

void Machine::run_on_host_thread(std::function<void()> function) {
  host_functions_.emplace_back(
      nullptr, std::make_shared<Node>(Node{.work = {.name = "destructor", .run = std::move(function)}}));
  host_function_added_.notify_one();
}

void Machine::finish(Queue& queue, const NodePtr& node) {
  node->is_done = true;
  node->end = std::chrono::steady_clock::now();
  node->after.clear();  // a chain of nodes would be freed by recursion
  node->work.run = nullptr;
  node->work.is_ready = nullptr;
  if (!queue.nodes.empty() && queue.nodes.front() == node) queue.nodes.pop_front();
  if (queue.is_temporary && queue.nodes.empty())
    std::erase_if(queues_, [&](const auto& each) { return each.get() == &queue; });
  work_changed_.notify_one();
  work_done_.notify_all();
}

bool Machine::step(Lock& lock, Queue& queue) {
  if (!is_ready(queue)) return false;
  const NodePtr node = queue.nodes.front();
  stepped_ = &queue;
  work_changed_.notify_one();
  work_done_.wait(lock, [&] { return node->is_done; });
  return true;
}

void Machine::drop_work(Lock& lock) {
  work_done_.wait(lock, [this] { return running_ == nullptr || runs_devices; });
  accesses_.clear();  // the host will see the error, and so know that nothing runs
  for (const auto& queue : std::vector(queues_)) {
    const std::deque<NodePtr> dropped = std::exchange(queue->nodes, {});
    for (const NodePtr& node : dropped) {
      if (node->is_running) {
        queue->nodes.push_back(node);
      } else {
        settle(*node);
        finish(*queue, node);
      }
    }
  }
}

void Machine::report(std::string violation) {
  violations_.push_back(std::move(violation));
}

std::vector<std::string> Machine::take_violations() {
  return std::exchange(violations_, {});
}

std::vector<std::string> Machine::describe_queues() const {
  std::vector<std::string> lines;
  for (const auto& queue : queues_) {
    std::vector<std::string> names;
    for (const NodePtr& node : queue->nodes) names.push_back(node->work.name);
    lines.push_back(
        fmt::format("  stream {} of device {}: {}", queue->id, queue->device, fmt::join(names, ", ")));
  }
  return lines;
}

}  // namespace leat::cuda_fake
