#include "tests/interleaving/explore.h"

#include <algorithm>

namespace leat::interleaving {

namespace {

std::string with_steps(const std::string& failure, const Simulation& simulation) {
  std::string text = failure + "; the schedule:\n";
  for (const std::string& step : simulation.steps()) text += "  " + step + '\n';
  return text;
}

class Player {
 public:
  Player(const Machine& machine, const std::function<void()>& parent)
      : parent_(parent), simulation_(machine.workers, machine.rows_per_chunk, machine.fault) {
    simulation_.delay_weak_stores(machine.delay_weak_stores);
  }

  bool play(Choices& choices) {
    const auto failure = simulation_.play(choices, parent_);
    ++outcome_.schedules;
    outcome_.steps = std::max(outcome_.steps, simulation_.step_count());
    if (failure) outcome_.failure = *failure;
    return !failure;
  }

  // The same schedule again.
  void explain(Choices& again) {
    simulation_.trace(true);
    play(again);
    --outcome_.schedules;
    outcome_.failure = with_steps(outcome_.failure, simulation_);
  }

  Outcome outcome() const { return outcome_; }

 private:
  const std::function<void()>& parent_;
  Simulation simulation_;
  Outcome outcome_;
};

}  // namespace

Outcome enumerate(const Machine& machine, const Budget& budget, const std::function<void()>& parent) {
  Player player(machine, parent);
  Enumeration schedules(budget);
  do {
    if (player.play(schedules)) continue;
    schedules.repeat();
    player.explain(schedules);
    break;
  } while (schedules.next());
  return player.outcome();
}

Outcome play_random(const Machine& machine, const Budget& budget, const std::function<void()>& parent,
                    std::uint64_t seed) {
  Player player(machine, parent);
  RandomChoices choices(seed, budget);
  if (!player.play(choices)) {
    RandomChoices again(seed, budget);
    player.explain(again);
  }
  return player.outcome();
}

}  // namespace leat::interleaving
