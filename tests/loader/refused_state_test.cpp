// States that a loader refuses: of another order, or with numbers that no loader can have had.
#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/loader/bucket_batch_sampler.h"
#include "leat/loader/data_loader.h"
#include "leat/loader/loader_state.h"
#include "leat/loader/subset_sampler.h"
#include "leat/loader/weighted_sampler.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using test::ArithmeticDataset;
using test::expect_error;

TEST_CASE("a state of something else is refused by what differs") {
  const ArithmeticDataset dataset(30), longer(31);
  const auto state_of = [](const Dataset& data, const DataLoaderOptions& options) {
    return DataLoader(data, options).state();
  };
  DataLoader loader(dataset, {.batch_size = 4, .shuffle = true, .seed = 1});
  const auto refused = [&](const LoaderState& state, std::initializer_list<std::string_view> fragments) {
    expect_error<ArgumentError>([&] { loader.restore(state); }, fragments);
  };
  refused(state_of(dataset, {.batch_size = 4, .seed = 1}), {"order", "sequential", "random"});
  refused(state_of(dataset, {.batch_size = 4, .shuffle = true, .seed = 2}), {"order", "seed 2", "seed 1"});
  refused(state_of(longer, {.batch_size = 4, .shuffle = true, .seed = 1}), {"31 samples", "30 samples"});
  const auto by_sampler = [&](std::uint64_t loader_seed, std::uint64_t order_seed) {
    return state_of(
        dataset,
        {.batch_size = 4, .sampler = std::make_shared<RandomSampler>(30, order_seed), .seed = loader_seed});
  };
  refused(by_sampler(2, 1), {"seed is 2, this loader's 1"});
  loader.restore(by_sampler(1, 1));  // it is the same order, however it was asked for
  CHECK(loader.next());              // and the loader is none the worse
}

// Two samplers that differ in one thing each.
std::vector<std::pair<DataLoaderOptions, DataLoaderOptions>> differing_orders() {
  std::vector<std::pair<DataLoaderOptions, DataLoaderOptions>> pairs;
  const auto add = [&](std::shared_ptr<const Sampler> one, std::shared_ptr<const Sampler> other) {
    pairs.push_back({{.batch_size = 4, .sampler = one}, {.batch_size = 4, .sampler = other}});
  };
  const auto distributed = [](bool shuffle, std::uint64_t seed) {
    return std::make_shared<DistributedSampler>(
        30, DistributedSamplerOptions{.world_size = 2, .shuffle = shuffle, .seed = seed});
  };
  add(distributed(true, 1), distributed(true, 2));
  add(distributed(true, 1), distributed(false, 1));
  const auto subset = [](std::uint64_t last, bool shuffle, std::uint64_t seed) {
    return std::make_shared<SubsetSampler>(std::vector<std::uint64_t>{5, 6, last},
                                           SubsetSamplerOptions{shuffle, seed});
  };
  add(subset(7, true, 1), subset(8, true, 1));
  add(subset(7, true, 1), subset(7, false, 1));
  add(subset(7, true, 1), subset(7, true, 2));
  const auto weighted = [](double last, std::size_t samples, bool replacement, std::uint64_t seed) {
    return std::make_shared<WeightedSampler>(std::vector<double>{1, 2, last}, samples,
                                             WeightedSamplerOptions{replacement, seed});
  };
  add(weighted(3, 2, true, 1), weighted(4, 2, true, 1));
  add(weighted(3, 2, true, 1), weighted(3, 3, true, 1));
  add(weighted(3, 2, true, 1), weighted(3, 2, false, 1));
  add(weighted(3, 2, true, 1), weighted(3, 2, true, 2));
  const auto buckets = [](std::uint64_t length, BucketBatchSamplerOptions options) {
    options.boundaries.push_back(20);
    return DataLoaderOptions{.batch_sampler = std::make_shared<BucketBatchSampler>(
                                 std::vector<std::uint64_t>(30, length), options)};
  };
  const BucketBatchSamplerOptions usual{.batch_sizes = {4}, .seed = 1};
  for (const BucketBatchSamplerOptions& other :
       {BucketBatchSamplerOptions{.batch_sizes = {4}, .seed = 2},
        BucketBatchSamplerOptions{.batch_sizes = {5}, .seed = 1},
        BucketBatchSamplerOptions{.boundaries = {3}, .batch_sizes = {4}, .seed = 1},
        BucketBatchSamplerOptions{.batch_sizes = {4}, .token_budget = 90, .seed = 1},
        BucketBatchSamplerOptions{.batch_sizes = {4}, .shuffle = false, .seed = 1},
        BucketBatchSamplerOptions{.batch_sizes = {4}, .seed = 1, .drop_last = true}}) {
    pairs.emplace_back(buckets(7, usual), buckets(7, other));
  }
  pairs.emplace_back(buckets(7, usual), buckets(8, usual));
  return pairs;
}

TEST_CASE("a state of a sampler with one other option is refused") {
  const ArithmeticDataset dataset(30);
  for (const auto& [one, other] : differing_orders()) {
    DataLoader loader(dataset, one);
    const LoaderState state = loader.state();
    INFO(state.order);
    DataLoader different(dataset, other);
    expect_error<ArgumentError>([&] { different.restore(state); }, {"order", state.order});
    DataLoader same(dataset, one);
    same.restore(state);
  }
}

// 100 samples in their order, but for two of them that change places.
class Swapped final : public Sampler {
 public:
  Swapped(std::size_t one, std::size_t other) : one_(one), other_(other) {}
  std::size_t size() const override { return 100; }
  void indices(std::uint64_t, std::size_t first, std::span<std::uint64_t> out) const override {
    for (std::uint64_t& index : out) {
      const std::size_t position = first++;
      index = position == one_ ? other_ : position == other_ ? one_ : position;
    }
    ++asked_;
  }
  int asked() const { return asked_; }

 private:
  std::size_t one_, other_;
  mutable int asked_ = 0;
};

TEST_CASE("a state of a sampler of one's own is refused if the order differs at its end") {
  const ArithmeticDataset dataset(100);
  const auto options = [](std::size_t one, std::size_t other) {
    return DataLoaderOptions{.batch_size = 4, .sampler = std::make_shared<Swapped>(one, other)};
  };
  DataLoader loader(dataset, options(0, 0)), other_end(dataset, options(98, 99)),
      same(dataset, options(0, 0));
  expect_error<ArgumentError>([&] { other_end.restore(loader.state()); }, {"order", "digest"});
  same.restore(loader.state());
}

TEST_CASE("a sampler of one's own is looked through for the first state of an epoch only") {
  const ArithmeticDataset dataset(100);
  const auto sampler = std::make_shared<Swapped>(0, 1);
  DataLoader loader(dataset, {.batch_size = 4, .sampler = sampler});
  const LoaderState first = loader.state();
  const int asked = sampler->asked();
  const LoaderState second = loader.state();
  CHECK(sampler->asked() == asked);
  CHECK(second.order == first.order);
}

// Changes each number of a state's JSON, one at a time.
std::vector<std::string> with_other_numbers(const std::string& json) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto digit = [&](std::size_t at) { return at < json.size() && json[at] >= '0' && json[at] <= '9'; };
    if (!digit(i) || digit(i - 1)) continue;
    std::size_t end = i;
    while (digit(end)) ++end;
    for (const char* number : {"0", "1", "2", "3", "5", "7", "8", "9", "14", "20", "60", "61", "4294967296",
                               "18446744073709551615"}) {
      if (json.substr(i, end - i) != number) all.push_back(json.substr(0, i) + number + json.substr(end));
    }
  }
  return all;
}

TEST_CASE("a state with a number that no loader can have had is refused, or delivers what it says") {
  const ArithmeticDataset dataset(60);
  const DataLoaderOptions options{.batch_size = 7, .shuffle = true, .seed = 1};
  DataLoader loader(dataset, options);
  loader.next();
  loader.next();
  LoaderState out_of_order = loader.state();
  out_of_order.ahead[4] = 7;
  DataLoader other_size(dataset, {.batch_size = 5, .shuffle = true, .seed = 1});
  other_size.restore(out_of_order);
  other_size.next();
  const LoaderState earlier = other_size.state();
  CHECK(earlier.earlier.consumed == PositionSet{{0, 14}, {28, 35}});
  int refused = 0, accepted = 0;
  for (const LoaderState& state : {loader.state(), out_of_order, earlier}) {
    for (const std::string& text : with_other_numbers(state.to_json())) {
      INFO(text);
      try {
        const LoaderState changed = LoaderState::from_json(text);
        DataLoader here(dataset, options);
        here.restore(changed);
        ++accepted;
        // What it says was consumed, and what it delivers, is one epoch.
        std::size_t consumed = changed.earlier.consumed.size(), remaining = 0;
        if (changed.world_size == 1) {
          consumed += changed.samples - changed.earlier.samples;
          for (const auto& [number, rows] : changed.ahead) consumed += rows;
          while (const auto batch = here.next()) remaining += batch->size();
          CHECK(consumed + remaining == 60);
        }
      } catch (const DataError&) {  // no state
        ++refused;
      } catch (const ArgumentError&) {  // not one of this loader
        ++refused;
      }
    }
  }
  CHECK(refused > 300);
  CHECK(accepted < 120);
}

TEST_CASE("a state with a batch more than its epoch has is refused") {
  const ArithmeticDataset dataset(60);
  DataLoader loader(dataset, {.batch_size = 7});
  while (loader.state().samples < 60) loader.next();
  LoaderState state = loader.state();
  loader.restore(state);
  ++state.batches;
  expect_error<ArgumentError>([&] { loader.restore(state); }, {"10 batches where there are 9"});
}

TEST_CASE("a state that is no state is refused by what is wrong with it") {
  const std::string good =
      LoaderState{.ahead = {{7, 3}}, .earlier = {{{2, 5}}, 1, 3}, .order = "some", .batch_size = 4}.to_json();
  CHECK(LoaderState::from_json(good).ahead.at(7) == 3);
  const auto refused = [](std::string text, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { LoaderState::from_json(text); }, fragments);
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  refused("", {"loader state", "parse error"});
  refused("[1]", {"object"});
  refused("{\"leat", {"loader state", "parse error"});
  refused(with("\"epoch\":0,", ""), {"'epoch'", "missing"});
  refused(with("\"epoch\":0", "\"epoch\":-1"), {"'epoch'", "-1"});
  refused(with("\"epoch\":0", "\"epoch\":1.5"), {"'epoch'", "1.5"});
  refused(with("\"leat_loader_state\":2", "\"leat_loader_state\":9"), {"version", "9"});
  for (const char* key : {"seven", "7x", " 7", "7 ", "", "-7", "+7", "0x7"}) {
    refused(with("\"7\"", "\"" + std::string(key) + "\""), {"'" + std::string(key) + "'"});
  }
  refused(with("\"some\"", "3"), {"'order'"});
  refused(with("[2,5]", "[2,2]"), {"'consumed'", "[2, 2)"});
  refused(with("[2,5]", "[2,5],[5,6]"), {"'consumed'", "[5, 6)"});
  refused(with("[2,5]", "[2]"), {"'consumed'", "[2]"});
  refused(with("[2,5]", "[2,-5]"), {"'consumed'", "-5"});
  refused(with("[2,5]", "7"), {"'consumed'", "7"});
  expect_error<ArgumentError>([] { LoaderState{.order = "\xff"}.to_json(); }, {"fingerprint", "UTF-8"});
}

}  // namespace
}  // namespace leat
