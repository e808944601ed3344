#include "tests/interleaving/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace leat::interleaving {

namespace {
constexpr std::size_t kMostSteps = 20'000;  // no schedule within the budgets here takes a tenth of it
Simulation* now = nullptr;

// The worker records and the mean of the samples' times: no schedule of their accesses makes a difference.
bool is_of_statistics(std::string_view file, std::string_view function) {
  const auto is_in = [&](std::string_view name) { return function.find(name) != std::string_view::npos; };
  return file.ends_with("loader/workers/worker.cpp") || is_in("::measured(") || is_in("::ns_per_sample(");
}

bool is_statistics(std::source_location where) {
  static std::unordered_map<const char*, bool> known;  // by the function's name, which is a constant
  const auto [entry, added] = known.try_emplace(where.function_name(), false);
  if (added) entry->second = is_of_statistics(where.file_name(), where.function_name());
  return entry->second;
}

}  // namespace

class Simulation::Options {
 public:
  void add(std::size_t process, Cost cost) {
    processes_[count_] = process;
    costs_[count_++] = cost;
  }
  bool empty() const { return count_ == 0; }
  std::span<const Cost> costs() const { return {costs_.data(), count_}; }
  Option operator[](std::size_t i) const { return {processes_[i], costs_[i]}; }

 private:
  std::array<std::size_t, Choices::kMost> processes_;
  std::array<Cost, Choices::kMost> costs_;
  std::size_t count_ = 0;
};

Simulation::Simulation(std::size_t workers, std::size_t rows_per_chunk, Fault fault)
    : rows_per_chunk_(rows_per_chunk), fault_(fault), processes_(kFirstWorker + workers) {
  now = this;
}

Simulation::~Simulation() {
  now = nullptr;
}

Simulation& Simulation::current() {
  if (now == nullptr) throw std::logic_error("there is no simulation");
  return *now;
}

std::optional<std::string> Simulation::play(Choices& choices, const std::function<void()>& parent) {
  reset(choices);
  start(kParent, [&] {
    parent();
    Fiber::switch_to(processes_[kParent].fiber, outside_);
  });
  at_work_ = kParent;
  Fiber::switch_to(outside_, processes_[kParent].fiber);
  if (failure_) {
    for (Process& process : processes_) process.fiber.abandon();
  }
  return failure_;
}

void Simulation::reset(Choices& choices) {
  choices_ = &choices;
  for (Process& process : processes_) {
    process.runs = process.ended = false;
    process.until = nullptr;
    process.sleeps_on = process.row = nullptr;
    process.late.clear();
    process.doing = {};
  }
  signaled = told = aside_ = false;
  mortal_ = true;
  steps_ = 0;
  failure_.reset();
  deaths_.clear();
  trace_.clear();
  stale_.clear();
}

// --- shared words

std::uint64_t Simulation::load(Cell cell, std::source_location where) {
  step(where);
  return read(cell);
}

void Simulation::store(Cell cell, std::uint64_t value, std::memory_order order, std::source_location where) {
  step(where);
  const bool strong = order == std::memory_order_seq_cst && fault_ != Fault::late_stores;
  if (strong || !delay_) {
    flush();
    write(cell, value);
  } else {
    processes_[at_work_].late.push_back({cell, value});
  }
}

// A swap that does not release may overtake the stores before it, but for those to its own word.
void Simulation::begin_swap(Cell cell, std::memory_order order, std::source_location where) {
  step(where);
  if (order != std::memory_order_relaxed && order != std::memory_order_acquire) return flush();
  std::vector<LateStore>& late = processes_[at_work_].late;
  const auto own = [&](const LateStore& store) { return store.cell.address == cell.address; };
  for (const LateStore& store : late) {
    if (own(store)) write(store.cell, store.value);
  }
  std::erase_if(late, own);
}

void Simulation::inside_compare_exchange(std::source_location where) {
  if (fault_ == Fault::split_compare_exchange) step(where);
}

void Simulation::flush() {
  for (const LateStore& store : processes_[at_work_].late) write(store.cell, store.value);
  processes_[at_work_].late.clear();
}

std::uint64_t Simulation::read(Cell cell) const {
  const auto* from = static_cast<const std::byte*>(cell.address);
  if (!aside_) {
    const std::vector<LateStore>& own = processes_[at_work_].late;
    const auto late = std::find_if(
        own.rbegin(), own.rend(), [&](const LateStore& store) { return store.cell.address == cell.address; });
    if (late != own.rend()) return late->value;
    if (at_work_ == kForkServer && !stale_.empty()) from = stale_.data() + (from - shared_.data());
  }
  std::uint64_t value = 0;
  std::memcpy(&value, from, cell.size);
  return value;
}

void Simulation::write(Cell cell, std::uint64_t value) {
  std::memcpy(cell.address, &value, cell.size);  // little-endian, as all machines that leat runs on
}

void Simulation::begin_taking_back() {
  if (fault_ == Fault::stale_fork_server) stale_.assign(shared_.begin(), shared_.end());
}

// --- processes

bool Simulation::enabled(std::size_t process) const {
  const Process& it = processes_[process];
  return it.runs && (it.until == nullptr || (*it.until)());
}

// Of the processes that can go on, in the circle behind the one at work.
Simulation::Options Simulation::options() {
  Options found;
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    const std::size_t process = (at_work_ + i) % processes_.size();
    if (enabled(process)) found.add(process, Cost::deviation);
  }
  return found;
}

void Simulation::step(std::source_location where) {
  if (aside_ || is_statistics(where)) return;
  if (++steps_ > kMostSteps) fail("goes on for ever");
  if (tracing_) note(where);
  Options ways;
  ways.add(at_work_, Cost::none);
  if (choices_->affords(Cost::deviation)) {
    const Options others = options();
    for (std::size_t i = 0; i < others.costs().size(); ++i) ways.add(others[i].process, Cost::deviation);
  }
  if (at_work_ >= kFirstWorker && mortal_) ways.add(at_work_, Cost::death);
  const Option way = ways[choices_->choose(ways.costs())];
  if (way.cost == Cost::death) die();
  if (way.process != at_work_) switch_to(way.process);
}

void Simulation::block(const std::function<bool()>& until, std::source_location where) {
  step(where);
  flush();
  if (until()) return;
  processes_[at_work_].until = &until;
  go_on_elsewhere();
  processes_[at_work_].until = nullptr;
}

// Whoever is at work cannot go on.
void Simulation::go_on_elsewhere() {
  const Options others = options();
  if (others.empty()) fail("all are stuck");
  std::array<Cost, Choices::kMost> costs{};
  costs.fill(Cost::deviation);
  costs[0] = Cost::none;
  switch_to(others[choices_->choose({costs.data(), others.costs().size()})].process);
}

void Simulation::switch_to(std::size_t process) {
  const std::size_t before = std::exchange(at_work_, process);
  Fiber::switch_to(processes_[before].fiber, processes_[process].fiber);
}

void Simulation::start(std::size_t process, std::function<void()> body) {
  processes_[process].runs = true;
  processes_[process].doing = {};
  processes_[process].fiber.start([this, process, body = std::move(body)] {
    body();
    flush();
    processes_[process].runs = false;
    go_on_elsewhere();
  });
}

void Simulation::die() {
  Process& dying = processes_[at_work_];
  if (tracing_) trace_.push_back(name(at_work_) + " is killed");
  flush();
  deaths_.push_back(dying.doing);
  dying.runs = false;
  dying.ended = true;
  dying.sleeps_on = dying.row = nullptr;
  go_on_elsewhere();
  std::abort();
}

bool Simulation::decide(Cost cost) {
  const std::array<Cost, 2> options{Cost::none, cost};
  const bool yes = choices_->choose(options) == 1;
  if (yes && tracing_)
    trace_.push_back(fmt::format("{}: decision {}", name(at_work_), static_cast<int>(cost)));
  return yes;
}

void Simulation::fail(const std::string& what) {
  failure_ = what;
  Fiber::switch_to(processes_[at_work_].fiber, outside_);
  std::abort();
}

void Simulation::note(std::source_location where) {
  const std::string file = where.file_name();
  std::string function = where.function_name();  // with its types
  function.resize(std::min(function.find('('), function.size()));
  trace_.push_back(fmt::format("{:9} {}:{} {}", name(at_work_), file.substr(file.rfind('/') + 1),
                               where.line(), function.substr(function.rfind(':') + 1)));
}

std::string Simulation::name(std::size_t process) const {
  if (process == kParent) return "parent";
  if (process == kForkServer) return "fork server";
  return fmt::format("worker {}", process - kFirstWorker);
}

// --- the kernel

void Simulation::sleep_on(const void* word, const std::function<bool()>& unchanged) {
  step();
  flush();
  if (!unchanged() && fault_ != Fault::deaf_futex) return;
  Process& sleeper = processes_[at_work_];
  sleeper.sleeps_on = word;
  block([&sleeper] { return sleeper.sleeps_on == nullptr; });
}

void Simulation::wake_all(const void* word) {
  step();
  flush();
  for (Process& process : processes_) {
    if (process.sleeps_on == word) process.sleeps_on = nullptr;
  }
}

bool Simulation::take_ended(std::size_t process) {
  return std::exchange(processes_[process].ended, false);
}

// --- what the dataset tells of

void Simulation::begin_row(const void* row, std::uint64_t index) {
  for (const Process& process : processes_) {
    if (process.runs && process.row == row) fail("two processes write one row");
  }
  processes_[at_work_].row = row;
  processes_[at_work_].doing = {index, true};
}

void Simulation::end_row() {
  processes_[at_work_].row = nullptr;
  processes_[at_work_].doing.inside = false;
}

}  // namespace leat::interleaving
