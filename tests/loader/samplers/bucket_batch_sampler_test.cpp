#include "leat/loader/bucket_batch_sampler.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/chi_squared.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using Indices = std::vector<std::uint64_t>;
using Lengths = std::vector<std::uint64_t>;
using Options = BucketBatchSamplerOptions;

std::vector<Indices> all(const BatchSampler& sampler, std::uint64_t epoch) {
  std::vector<Indices> batches(sampler.size(epoch));
  for (std::size_t number = 0; number < batches.size(); ++number)
    sampler.batch(epoch, number, batches[number]);
  return batches;
}

Lengths random_lengths(std::mt19937_64& random, std::size_t samples, std::uint64_t limit) {
  Lengths lengths(samples);
  for (std::uint64_t& length : lengths) length = random() % limit;
  return lengths;
}

std::size_t bucket_of(std::uint64_t length, const std::vector<std::uint64_t>& boundaries) {
  std::size_t bucket = 0;
  while (bucket < boundaries.size() && length >= boundaries[bucket]) ++bucket;
  return bucket;
}

std::uint64_t longest(const Indices& batch, const Lengths& lengths) {
  std::uint64_t longest = 1;
  for (const std::uint64_t index : batch) longest = std::max(longest, lengths[index]);
  return longest;
}

std::map<std::uint64_t, int> times_seen(const std::vector<Indices>& batches) {
  std::map<std::uint64_t, int> seen;
  for (const Indices& batch : batches) {
    for (const std::uint64_t index : batch) ++seen[index];
  }
  return seen;
}

bool each_once(const std::map<std::uint64_t, int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](const auto& entry) { return entry.second == 1; });
}

TEST_CASE("without shuffling, batches come bucket after bucket in ascending order") {
  const Lengths lengths{1, 10, 5, 30, 2, 9, 100, 3, 10};
  const Options options{.boundaries = {5, 10}, .batch_sizes = {2, 4, 3}, .shuffle = false};
  const BucketBatchSampler sampler(lengths, options);
  CHECK(all(sampler, 0) == std::vector<Indices>{{0, 4}, {7}, {2, 5}, {1, 3, 6}, {8}});
  CHECK(all(sampler, 3) == all(sampler, 0));
  CHECK(sampler.max_batch_size() == 3);

  Options dropping = options;
  dropping.drop_last = true;
  CHECK(all(BucketBatchSampler(lengths, dropping), 0) == std::vector<Indices>{{0, 4}, {1, 3, 6}});
}

TEST_CASE("a token budget limits rows times the longest length, an empty sample counts as 1") {
  const Lengths lengths{3, 3, 4, 1, 1, 12, 0, 0, 0};
  const Options options{.token_budget = 12, .shuffle = false};
  CHECK(all(BucketBatchSampler(lengths, options), 0) ==
        std::vector<Indices>{{0, 1, 2}, {3, 4}, {5}, {6, 7, 8}});

  Options two_rows = options;
  two_rows.batch_sizes = {2};
  CHECK(all(BucketBatchSampler(lengths, two_rows), 0) ==
        std::vector<Indices>{{0, 1}, {2, 3}, {4}, {5}, {6, 7}, {8}});
}

TEST_CASE("with a token budget, drop_last leaves out what has room for one more row like its longest") {
  const auto batches = [](Lengths lengths) {
    const Options options{.token_budget = 12, .shuffle = false, .drop_last = true};
    return BucketBatchSampler(std::move(lengths), options).size(0);
  };
  CHECK(batches({3, 4, 4}) == 1);     // full: a fourth row of 4 would make 16
  CHECK(batches({3, 4, 4, 4}) == 1);  // {3, 4, 4}, and {4} has room
  CHECK(batches({7, 7, 7}) == 3);
  CHECK(batches({6}) == 0);
}

TEST_CASE("the largest batch is that of the shortest samples together, and some epoch may have it") {
  const Lengths lengths{2, 9, 2, 9, 2, 9, 3, 9};
  CHECK(BucketBatchSampler(lengths, {.token_budget = 12}).max_batch_size() == 4);
  CHECK(BucketBatchSampler(lengths, {.batch_sizes = {3}, .token_budget = 12}).max_batch_size() == 3);
  CHECK(BucketBatchSampler(lengths, {.batch_sizes = {100}}).max_batch_size() == 8);
  const BucketBatchSampler sampler(lengths, {.token_budget = 12});
  std::size_t most = 0;
  for (std::uint64_t epoch = 0; epoch < 500; ++epoch) {
    for (const Indices& batch : all(sampler, epoch)) most = std::max(most, batch.size());
  }
  CHECK(most == 4);
}

void check_epoch(const BucketBatchSampler& sampler, const Lengths& lengths, const Options& options,
                 std::uint64_t epoch) {
  const auto batches = all(sampler, epoch);
  std::map<std::size_t, int> short_batches;
  for (const Indices& batch : batches) {
    REQUIRE((!batch.empty() && batch.size() <= sampler.max_batch_size()));
    const std::size_t bucket = bucket_of(lengths[batch[0]], options.boundaries);
    for (const std::uint64_t index : batch) REQUIRE(bucket_of(lengths[index], options.boundaries) == bucket);
    if (options.token_budget) REQUIRE(batch.size() * longest(batch, lengths) <= *options.token_budget);
    if (options.batch_sizes.empty()) continue;
    REQUIRE(batch.size() <= options.batch_sizes[bucket]);
    if (batch.size() < options.batch_sizes[bucket]) ++short_batches[bucket];
  }
  const auto seen = times_seen(batches);
  REQUIRE(each_once(seen));
  if (!options.drop_last) REQUIRE(seen.size() == lengths.size());
  if (options.token_budget) return;
  for (const auto& [bucket, count] : short_batches) REQUIRE(count <= (options.drop_last ? 0 : 1));
}

TEST_CASE("every sample comes once per epoch, in a batch of its bucket and within the limits") {
  std::mt19937_64 random(501);
  for (int trial = 0; trial < 300; ++trial) {
    const Lengths lengths = random_lengths(random, random() % 90, 60);
    Options options{.boundaries = {5, 20, 30}, .shuffle = random() % 4 > 0, .seed = random()};
    const auto limits = random() % 3;
    if (limits > 0) options.token_budget = 59 + random() % 200;
    if (limits < 2)
      options.batch_sizes = {1 + random() % 9, 1 + random() % 9, 1 + random() % 9, 1 + random() % 9};
    options.drop_last = random() % 2 > 0;
    const BucketBatchSampler sampler(lengths, options);
    INFO("trial " << trial << ", " << lengths.size() << " samples, limits " << limits);
    for (const std::uint64_t epoch : {0, 1, 9}) check_epoch(sampler, lengths, options, epoch);
  }
}

TEST_CASE("with a token budget, a batch ends only where the next sample of its bucket does not fit") {
  std::mt19937_64 random(502);
  for (int trial = 0; trial < 50; ++trial) {
    const Lengths lengths = random_lengths(random, 80, 40);
    const BucketBatchSampler sampler(lengths, {.token_budget = 100, .shuffle = false});
    const auto batches = all(sampler, 0);
    for (std::size_t i = 0; i + 1 < batches.size(); ++i) {
      const std::uint64_t with_next = std::max(longest(batches[i], lengths), lengths[batches[i + 1][0]]);
      REQUIRE((batches[i].size() + 1) * with_next > 100);
    }
  }
}

TEST_CASE("epochs and seeds differ, the same ones repeat, whatever was asked for before") {
  std::mt19937_64 random(503);
  const Lengths lengths = random_lengths(random, 400, 50);
  for (const bool budget : {false, true}) {
    Options options{.boundaries = {10, 25}, .seed = 3};
    if (budget) options.token_budget = 200;
    if (!budget) options.batch_sizes = {8};
    const BucketBatchSampler sampler(lengths, options);
    const auto first = all(sampler, 0), second = all(sampler, 1);
    CHECK(first != second);
    CHECK(all(sampler, 0) == first);
    CHECK(all(BucketBatchSampler(lengths, options), 1) == second);
    const std::set<Indices> in_first(first.begin(), first.end()), in_second(second.begin(), second.end());
    CHECK(in_first != in_second);  // the samples meet others, too
    options.seed = 4;
    CHECK(all(BucketBatchSampler(lengths, options), 0) != first);
  }
}

TEST_CASE("the batches of an epoch are golden: stable across versions") {
  const Lengths lengths{5, 1, 8, 3, 2, 9, 7, 4, 6};
  const BucketBatchSampler sampler(lengths, {.boundaries = {5}, .token_budget = 18, .seed = 1});
  CHECK(all(sampler, 2) == std::vector<Indices>{{0}, {8, 2}, {3, 7, 4, 1}, {5, 6}});
}

TEST_CASE("an epoch begins with a batch of any bucket, as often as the bucket has batches") {
  Lengths lengths(60, 1);  // 10 batches of 6 rows, 6 of 5, 4 of 2
  lengths.insert(lengths.end(), 30, 10);
  lengths.insert(lengths.end(), 8, 20);
  const BucketBatchSampler sampler(lengths, {.boundaries = {5, 15}, .batch_sizes = {6, 5, 2}, .seed = 1});
  std::vector<double> counts(3);
  for (std::uint64_t epoch = 0; epoch < 20'000; ++epoch) {
    Indices batch;
    sampler.batch(epoch, 0, batch);
    ++counts.at(bucket_of(lengths[batch[0]], {5, 15}));
  }
  CHECK(test::chi_squared(counts, {10'000, 6'000, 4'000}) < test::chi_squared_limit(2));
}

TEST_CASE("ranks divide the batches of an epoch: all with padding, equally many without the last") {
  std::mt19937_64 random(504);
  for (int trial = 0; trial < 100; ++trial) {
    const Lengths lengths = random_lengths(random, random() % 120, 30);
    const RemainderPolicy remainder = RemainderPolicy(random() % 3);
    Options options{.boundaries = {8, 20}, .token_budget = 100, .seed = random(), .remainder = remainder};
    const auto whole = all(BucketBatchSampler(lengths, options), 5);
    options.world_size = static_cast<int>(1 + random() % 5);
    const auto world = static_cast<std::size_t>(options.world_size);
    INFO("trial " << trial << ": " << whole.size() << " batches, " << world << " ranks");
    for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
      const auto rank = static_cast<std::size_t>(options.rank);
      const auto share = all(BucketBatchSampler(lengths, options), 5);
      const std::size_t rest = whole.size() % world;
      const bool one_more =
          remainder == RemainderPolicy::pad ? rest > 0 : remainder == RemainderPolicy::keep && rank < rest;
      REQUIRE(share.size() == whole.size() / world + (one_more ? 1 : 0));
      for (std::size_t i = 0; i < share.size(); ++i) {
        REQUIRE(share[i] == whole[(i * world + rank) % whole.size()]);
      }
    }
  }
}

TEST_CASE("threads that ask for batches of different epochs get what one thread gets") {
  std::mt19937_64 random(505);
  const Lengths lengths = random_lengths(random, 300, 50);
  const BucketBatchSampler sampler(lengths, {.boundaries = {10, 25}, .token_budget = 100, .seed = 3});
  const std::vector<std::vector<Indices>> expected{all(sampler, 0), all(sampler, 1)};
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < 60; ++i) {
        const std::size_t epoch = (i / 5 + thread) % 2;
        if (all(sampler, epoch) != expected[epoch]) ++wrong;
      }
    });
  }
  threads.clear();
  CHECK(wrong == 0);
}

TEST_CASE("no samples make no batches, on every rank") {
  const BucketBatchSampler sampler({}, {.boundaries = {10}, .token_budget = 5, .rank = 1, .world_size = 3});
  CHECK(sampler.size(0) == 0);
  CHECK(sampler.max_batch_size() == 1);
}

TEST_CASE("contradictory buckets and limits are refused by name") {
  const auto refused = [](Lengths lengths, Options options,
                          std::initializer_list<std::string_view> fragments) {
    test::expect_error<ArgumentError>([&] { BucketBatchSampler(std::move(lengths), std::move(options)); },
                                      fragments);
  };
  refused({1}, {.boundaries = {5, 10, 10}, .batch_sizes = {1}}, {"boundaries[2] is 10", "boundaries[1]"});
  refused({1}, {.boundaries = {5, 10}, .batch_sizes = {1, 2}}, {"2 batch_sizes", "3 buckets"});
  refused({1}, {.boundaries = {5}, .batch_sizes = {1, 0}}, {"batch_sizes[1] is 0"});
  refused({1}, {}, {"batch_sizes", "token_budget"});
  refused({1}, {.token_budget = 0}, {"token_budget is 0"});
  refused({7, 13}, {.token_budget = 12}, {"sample 1 has length 13", "token_budget of 12"});
  refused({1}, {.batch_sizes = {1}, .rank = 2, .world_size = 2}, {"rank 2", "[0, 2)"});
  test::expect_error<ArgumentError>(
      [] {
        Indices out;
        BucketBatchSampler({1, 1, 1}, {.batch_sizes = {2}}).batch(4, 2, out);
      },
      {"batch 2", "epoch 4 has 2 batches"});
}

}  // namespace
}  // namespace leat
