#include "tests/interleaving/choices.h"

#include <algorithm>
#include <stdexcept>

namespace leat::interleaving {

Purse::Purse(const Budget& budget) {
  const auto amount = [](int n) { return static_cast<std::uint8_t>(std::clamp(n, 0, 255)); };
  left_ = {1, amount(budget.deviations), amount(budget.deaths), amount(budget.failed_forks),
           amount(budget.given_up_epochs)};
}

std::size_t Enumeration::choose(std::span<const Cost> options) {
  const auto affordable = [this](Cost cost) { return purse_.affords(cost); };
  if (options.size() == 1 || std::none_of(options.begin() + 1, options.end(), affordable)) return 0;
  if (depth_ == made_.size()) {
    Choice& made = made_.emplace_back();
    std::copy(options.begin(), options.end(), made.options.begin());
    made.count = static_cast<std::uint8_t>(options.size());
    made.before = purse_;
  }
  const Choice& made = made_[depth_++];
  if (made.count != options.size()) throw std::logic_error("a schedule that is repeated takes another way");
  purse_.spend(made.options[made.chosen]);
  return made.chosen;
}

bool Enumeration::next() {
  repeat();
  for (; !made_.empty(); made_.pop_back()) {
    Choice& last = made_.back();
    while (++last.chosen < last.count) {
      if (last.before.affords(last.options[last.chosen])) return true;
    }
  }
  return false;
}

void Enumeration::repeat() {
  purse_ = Purse(budget_);
  depth_ = 0;
}

RandomChoices::RandomChoices(std::uint64_t seed, const Budget& budget)
    : random_(seed), purse_(budget), one_in_(2 + random_() % 30) {}

std::size_t RandomChoices::choose(std::span<const Cost> options) {
  if (options.size() == 1 || random_() % one_in_ != 0) return 0;
  const std::size_t chosen = random_() % options.size();
  if (!purse_.affords(options[chosen])) return 0;
  purse_.spend(options[chosen]);
  return chosen;
}

}  // namespace leat::interleaving
