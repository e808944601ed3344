// Sampler::remaining(): an epoch that breaks off and goes on, in the same world or in another one.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "leat/loader/sampler.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using Indices = std::vector<std::uint64_t>;
using SamplerPtr = std::shared_ptr<const Sampler>;

constexpr std::uint64_t kEpoch = 6;

Indices all(const Sampler& sampler) {
  Indices indices(sampler.size());
  sampler.indices(kEpoch, 0, indices);
  return indices;
}

Indices first(Indices indices, std::size_t count) {
  indices.resize(std::min(count, indices.size()));
  return indices;
}

Indices behind(const Indices& indices, std::size_t count) {
  return {indices.begin() + static_cast<std::ptrdiff_t>(std::min(count, indices.size())), indices.end()};
}

std::size_t below(std::mt19937_64& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// A dataset and how its epoch is divided; worlds of any size have the same order of it.
struct Setup {
  std::size_t samples;
  bool shuffle;
  std::uint64_t seed;
  RemainderPolicy remainder;

  static Setup random(std::mt19937_64& random, RemainderPolicy remainder) {
    return {below(random, 70), below(random, 3) > 0, random(), remainder};
  }
  std::vector<SamplerPtr> world(std::size_t ranks, std::size_t consumed) const {
    std::vector<SamplerPtr> samplers;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const DistributedSamplerOptions options{static_cast<int>(rank), static_cast<int>(ranks), shuffle, seed,
                                              remainder};
      const auto whole = std::make_shared<DistributedSampler>(samples, options);
      samplers.push_back(whole->remaining(kEpoch, PositionSet::below(std::min(consumed, samples))));
    }
    return samplers;
  }
};

// Every rank of `world` consumes its first `rows` samples, or all it has: how many that is together.
std::size_t consume(const std::vector<SamplerPtr>& world, std::size_t rows,
                    std::map<std::uint64_t, int>& seen) {
  std::size_t consumed = 0;
  for (const SamplerPtr& sampler : world) {
    const Indices indices = first(all(*sampler), rows);
    for (const std::uint64_t index : indices) ++seen[index];
    consumed += indices.size();
  }
  return consumed;
}

bool each_once(const std::map<std::uint64_t, int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](const auto& entry) { return entry.second == 1; });
}

TEST_CASE("an unchanged world goes on as if it had not been interrupted, after every step") {
  std::mt19937_64 random(2101);
  for (int trial = 0; trial < 400; ++trial) {
    const Setup setup = Setup::random(random, RemainderPolicy(below(random, 3)));
    const std::size_t ranks = 1 + below(random, 6), batch_size = 1 + below(random, 5);
    const auto world = setup.world(ranks, 0);
    INFO("trial " << trial << ": " << setup.samples << " samples, " << ranks << " ranks, batch "
                  << batch_size);
    for (std::size_t rows = 0; rows < world[0]->size() + batch_size; rows += batch_size) {
      std::map<std::uint64_t, int> seen;
      const auto rest = setup.world(ranks, consume(world, rows, seen));
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        REQUIRE(all(*rest[rank]) == behind(all(*world[rank]), rows));
      }
    }
  }
}

TEST_CASE("kept: whatever worlds follow each other in an epoch, every sample comes once") {
  std::mt19937_64 random(2102);
  for (int trial = 0; trial < 400; ++trial) {
    const Setup setup = Setup::random(random, RemainderPolicy::keep);
    INFO("trial " << trial << ": " << setup.samples << " samples");
    std::map<std::uint64_t, int> seen;
    std::size_t consumed = 0;
    while (consumed < setup.samples) {
      const std::size_t batch_size = 1 + below(random, 5), steps = 1 + below(random, 4);
      consumed += consume(setup.world(1 + below(random, 6), consumed), batch_size * steps, seen);
      REQUIRE(seen.size() == consumed);
    }
    REQUIRE(seen.size() == setup.samples);
    REQUIRE(each_once(seen));
  }
}

TEST_CASE("a new world after every step of an old one: kept, padded, dropped") {
  std::mt19937_64 random(2103);
  for (int trial = 0; trial < 300; ++trial) {
    const Setup setup = Setup::random(random, RemainderPolicy(below(random, 3)));
    const std::size_t before = 1 + below(random, 6), after = 1 + below(random, 6);
    const std::size_t batch_size = 1 + below(random, 5);
    const auto old_world = setup.world(before, 0);
    INFO("trial " << trial << ": " << setup.samples << " samples, " << before << " ranks, then " << after);
    for (std::size_t rows = 0; rows < old_world[0]->size() + batch_size; rows += batch_size) {
      std::map<std::uint64_t, int> seen;
      const std::size_t consumed = consume(old_world, rows, seen);
      const auto new_world = setup.world(after, consumed);
      const std::size_t rest = setup.samples - std::min(consumed, setup.samples);
      const std::size_t delivered = consume(new_world, setup.samples, seen);
      if (setup.remainder == RemainderPolicy::keep)
        REQUIRE((seen.size() == setup.samples && each_once(seen)));
      if (setup.remainder == RemainderPolicy::drop)
        REQUIRE((each_once(seen) && delivered == rest / after * after));
      if (setup.remainder == RemainderPolicy::pad && rest > 0) {
        REQUIRE((seen.size() == setup.samples && delivered >= rest && delivered < rest + after));
      }
      if (setup.remainder == RemainderPolicy::keep) continue;
      for (const SamplerPtr& sampler : new_world) REQUIRE(sampler->size() == new_world[0]->size());
    }
  }
}

TEST_CASE("what remains of what remains counts from where that began") {
  const auto whole = std::make_shared<DistributedSampler>(
      100,
      DistributedSamplerOptions{.rank = 1, .world_size = 3, .seed = 4, .remainder = RemainderPolicy::keep});
  CHECK(whole->world_size() == 3);
  const auto rest = whole->remaining(kEpoch, PositionSet::below(12));
  CHECK(rest->world_size() == 3);
  CHECK(all(*rest->remaining(kEpoch, PositionSet::below(21))) ==
        all(*whole->remaining(kEpoch, PositionSet::below(33))));
  CHECK(rest->remaining(kEpoch, PositionSet::below(88))->size() == 0);
  test::expect_error<ArgumentError>([&] { rest->remaining(kEpoch, PositionSet::below(101)); },
                                    {"position 100"});
}

TEST_CASE("after 8 of 10 samples on 4 ranks, 3 ranks take 8, 9 and padding from the start") {
  const Setup setup{10, false, 0, RemainderPolicy::pad};
  const auto world = setup.world(3, 8);
  CHECK(all(*world[0]) == Indices{8});
  CHECK(all(*world[1]) == Indices{9});
  CHECK(all(*world[2]) == Indices{0});
}

TEST_CASE("a sampler for one rank reads on behind what was consumed, and lives as long as its rest") {
  SamplerPtr whole = std::make_shared<RandomSampler>(50, 3);
  CHECK(whole->world_size() == 1);
  const Indices order = all(*whole);
  SamplerPtr rest = whole->remaining(kEpoch, PositionSet::below(20));
  whole.reset();
  CHECK(all(*rest) == behind(order, 20));
  CHECK(all(*rest->remaining(kEpoch, PositionSet::below(29))) == behind(order, 49));
  CHECK(rest->remaining(kEpoch, PositionSet::below(30))->size() == 0);
  test::expect_error<ArgumentError>([&] { rest->remaining(kEpoch, PositionSet::below(101)); },
                                    {"position 100"});
}

class TwoRanks final : public Sampler {
 public:
  std::size_t size() const override { return 4; }
  void indices(std::uint64_t, std::size_t, std::span<std::uint64_t>) const override {}
  std::size_t world_size() const override { return 2; }
};

TEST_CASE("where the default cannot know what remains, it says why") {
  test::expect_error<ArgumentError>([] { SequentialSampler(10).remaining(0, PositionSet::below(1)); },
                                    {"shared_ptr"});
  test::expect_error<ArgumentError>([] { std::make_shared<TwoRanks>()->remaining(0, PositionSet::below(1)); },
                                    {"2 ranks", "Sampler::remaining()"});
}

}  // namespace
}  // namespace leat
