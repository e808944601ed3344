// Who decides what happens next in a simulation: every schedule within a budget in turn, or chance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace leat::interleaving {

// What is out of the ordinary about an option, and how often that may happen in one schedule. The ordinary: who
// runs goes on; where it blocks, the next in the circle does.
enum class Cost : std::uint8_t {
  none,
  deviation,  // another process goes on
  death,      // of a worker
  failed_fork,
  given_up_epoch,
};
inline constexpr std::size_t kCosts = 5;

struct Budget {
  int deviations = 0, deaths = 0, failed_forks = 0, given_up_epochs = 0;
};

class Purse {
 public:
  Purse() = default;
  explicit Purse(const Budget& budget);

  bool affords(Cost cost) const noexcept { return left_[static_cast<std::size_t>(cost)] > 0; }
  void spend(Cost cost) noexcept {
    if (cost != Cost::none) --left_[static_cast<std::size_t>(cost)];
  }

 private:
  std::array<std::uint8_t, kCosts> left_{};
};

class Choices {
 public:
  static constexpr std::size_t kMost = 12;  // options

  virtual ~Choices() = default;
  virtual std::size_t choose(std::span<const Cost> options) = 0;  // options[0] costs nothing
  virtual bool affords(Cost cost) const = 0;
};

// Depth first; each schedule is the one before with its last affordable choice made differently.
class Enumeration final : public Choices {
 public:
  explicit Enumeration(const Budget& budget) : budget_(budget), purse_(budget) {}

  std::size_t choose(std::span<const Cost> options) override;
  bool affords(Cost cost) const override { return purse_.affords(cost); }

  bool next();    // prepares the next schedule; false: that was the last one
  void repeat();  // prepares the same schedule again

 private:
  struct Choice {
    std::array<Cost, kMost> options{};
    std::uint8_t count = 0;
    std::uint8_t chosen = 0;
    Purse before;
  };

  Budget budget_;
  Purse purse_;
  std::vector<Choice> made_;
  std::size_t depth_ = 0;
};

class RandomChoices final : public Choices {
 public:
  RandomChoices(std::uint64_t seed, const Budget& budget);

  std::size_t choose(std::span<const Cost> options) override;
  bool affords(Cost cost) const override { return purse_.affords(cost); }

 private:
  std::mt19937_64 random_;
  Purse purse_;
  std::uint64_t one_in_;  // choices is not the ordinary one
};

}  // namespace leat::interleaving
