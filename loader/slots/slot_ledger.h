// SlotLedger: records the state of each slot. A plain class: no threads, no shared memory.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::detail {

// A slot is free, in flight (published, not delivered), draining (abandoned, but a worker may still write to it) or
// leased (held by the consumer). The slot that was freed last is taken first, because its memory is still in the
// caches. But all common slots are taken before spare slots, which have higher numbers.
//
// Throws InternalError if a slot does not exist, or is not in the state in which a transition starts.
class SlotLedger {
 public:
  explicit SlotLedger(std::size_t common);

  void add_spare();  // adds a free slot, whose number is the old size()
  bool has_common() const noexcept { return !free_.empty(); }
  bool has_free() const noexcept { return has_common() || !free_spare_.empty(); }
  std::size_t take();              // free -> in flight; precondition: has_free()
  void deliver(std::size_t slot);  // in flight -> leased
  void drain(std::size_t slot);    // in flight -> draining
  void free(std::size_t slot);     // any state except free -> free

  std::size_t in_flight() const noexcept { return count(State::in_flight); }
  std::size_t leased() const noexcept { return count(State::leased); }
  std::vector<std::size_t> draining() const;
  std::size_t size() const noexcept { return states_.size(); }

 private:
  enum class State : unsigned char { free, in_flight, draining, leased };

  std::size_t count(State state) const noexcept;
  State& state(std::size_t slot);
  void move(std::size_t slot, State from, State to);

  std::size_t common_;
  std::vector<State> states_;
  std::vector<std::size_t> free_, free_spare_;  // stacks
};

}  // namespace leat::detail
