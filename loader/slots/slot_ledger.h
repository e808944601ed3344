// Who has which slot. A plain class: no threads, no shared memory.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::detail {

// A slot is free, in flight (published, not delivered), draining (abandoned, a worker still writes) or leased
// (the consumer holds it). Free slots are given out last freed first: that memory is still in the caches; but
// common ones before spare ones, which are numbered behind them.
//
// Throws InternalError if a slot does not exist, or is not in the state that a move begins with.
class SlotLedger {
 public:
  explicit SlotLedger(std::size_t common);

  void add_spare();  // a free one more; its number was size()
  bool has_common() const noexcept { return !free_.empty(); }
  bool has_free() const noexcept { return has_common() || !free_spare_.empty(); }
  std::size_t take();              // free -> in flight; precondition: has_free()
  void deliver(std::size_t slot);  // in flight -> leased
  void drain(std::size_t slot);    // in flight -> draining
  void free(std::size_t slot);     // any but free -> free

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
