#include "leat/loader/slots/slot_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/errors.h"

namespace leat::detail {

SlotLedger::SlotLedger(std::size_t common) : common_(common), states_(common, State::free) {
  for (std::size_t slot = common; slot > 0; --slot) free_.push_back(slot - 1);
}

void SlotLedger::add_spare() {
  free_spare_.push_back(states_.size());
  states_.push_back(State::free);
}

std::size_t SlotLedger::take() {
  if (!has_free()) throw InternalError("no slot is free");
  std::vector<std::size_t>& from = has_common() ? free_ : free_spare_;
  const std::size_t slot = from.back();
  from.pop_back();
  states_[slot] = State::in_flight;
  return slot;
}

void SlotLedger::deliver(std::size_t slot) {
  move(slot, State::in_flight, State::leased);
}

void SlotLedger::drain(std::size_t slot) {
  move(slot, State::in_flight, State::draining);
}

void SlotLedger::free(std::size_t slot) {
  if (state(slot) == State::free) throw InternalError(fmt::format("slot {} is free already", slot));
  state(slot) = State::free;
  (slot < common_ ? free_ : free_spare_).push_back(slot);
}

std::vector<std::size_t> SlotLedger::draining() const {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] == State::draining) slots.push_back(slot);
  }
  return slots;
}

std::size_t SlotLedger::count(State state) const noexcept {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), state));
}

SlotLedger::State& SlotLedger::state(std::size_t slot) {
  if (slot < states_.size()) return states_[slot];
  throw InternalError(fmt::format("slot {} is none of {}", slot, states_.size()));
}

void SlotLedger::move(std::size_t slot, State from, State to) {
  if (state(slot) != from) throw InternalError(fmt::format("slot {} is not where it should be", slot));
  state(slot) = to;
}

}  // namespace leat::detail
