// Stands in for the loader's own header of this name: words of which every access is a step of a simulation. It
// knows where in the source each access is, for the trace of a schedule that fails.
#pragma once

#include <atomic>
#include <source_location>

#include "tests/interleaving/simulation.h"

namespace leat::detail {

template <class T>
class SharedAtomic {
 public:
  using Where = std::source_location;
  using Order = std::memory_order;
  static constexpr Order kStrong = std::memory_order_seq_cst;

  constexpr SharedAtomic(T value = T()) noexcept : value_(value) {}
  SharedAtomic(const SharedAtomic&) = delete;
  SharedAtomic& operator=(const SharedAtomic&) = delete;

  T load(Order = kStrong, Where where = Where::current()) const {
    return static_cast<T>(simulation().load(cell(), where));
  }
  void store(T value, Order order = kStrong, Where where = Where::current()) {
    simulation().store(cell(), static_cast<std::uint64_t>(value), order, where);
  }
  T exchange(T value, Order order = kStrong, Where where = Where::current()) {
    return modify([&](T) { return value; }, order, where);
  }
  T fetch_add(T by, Order order = kStrong, Where where = Where::current()) {
    return modify([&](T old) { return static_cast<T>(old + by); }, order, where);
  }
  T fetch_sub(T by, Order order = kStrong, Where where = Where::current()) {
    return modify([&](T old) { return static_cast<T>(old - by); }, order, where);
  }
  T fetch_or(T bits, Order order = kStrong, Where where = Where::current()) {
    return modify([&](T old) { return static_cast<T>(old | bits); }, order, where);
  }
  bool compare_exchange_strong(T& expected, T desired, Order order = kStrong,
                               Where where = Where::current()) {
    simulation().begin_swap(cell(), order, where);
    const bool equal = value_ == expected;
    expected = value_;
    if (!equal) return false;
    simulation().inside_compare_exchange(where);
    value_ = desired;
    return true;
  }

  T peek() const noexcept { return value_; }  // of the kernel's: no step

 private:
  static interleaving::Simulation& simulation() { return interleaving::Simulation::current(); }
  interleaving::Cell cell() const noexcept { return {&value_, sizeof value_}; }

  template <class F>
  T modify(F&& next, Order order, Where where) {
    simulation().begin_swap(cell(), order, where);
    const T old = value_;
    value_ = next(old);
    return old;
  }

  mutable T value_;
};

}  // namespace leat::detail
