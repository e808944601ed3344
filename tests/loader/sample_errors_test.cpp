// What becomes of samples that cannot be had. The numbers before the colons are lines of the conformance list in
// docs/conformance.md.
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using test::ArithmeticDataset;
using test::check_rows;
using test::expect_error;
using test::HookedDataset;

LEAT_LOADER_TEST(one_throws,
                 "41: a sample that throws is reported with index, type and text; the rest arrives") {
  const HookedDataset dataset(40, [](std::size_t index) {
    if (index == 13) throw DataError("thirteen.bin", "is unlucky");
  });
  DataLoader loader(dataset, workers.with({.batch_size = 4}));
  std::vector<std::uint64_t> numbers;
  int errors = 0;
  for (;;) {
    try {
      auto batch = loader.next();
      if (!batch) break;
      check_rows(*batch, 0);
      numbers.push_back(batch->number());
    } catch (const SampleError& error) {
      ++errors;
      CHECK(error.batch() == 3);
      CHECK(error.origin().index == 13);
      CHECK(error.origin().source == "number 13");
      CHECK(error.origin().type == "leat::DataError");
      CHECK(error.origin().text == "thirteen.bin: is unlucky");
      CHECK((error.origin().worker >= 0) == (workers.number > 0));
    }
  }
  CHECK(errors == 1);
  CHECK(numbers == std::vector<std::uint64_t>{0, 1, 2, 4, 5, 6, 7, 8, 9});
}

LEAT_LOADER_TEST(all_throw, "40: 41 samples in pairs, each get() throwing: 21 errors, then the end") {
  const HookedDataset dataset(41, [](std::size_t) { throw std::runtime_error("never"); });
  DataLoader loader(dataset, workers.with({.batch_size = 2}));
  for (std::uint64_t batch = 0; batch < 21; ++batch) {
    expect_error<SampleError>([&] { loader.next(); }, {"sample " + std::to_string(2 * batch),
                                                       "batch " + std::to_string(batch), "never"});
  }
  CHECK_FALSE(loader.next());
  expect_error<SampleError>([&] { loader.next(); }, {"batch 0"});  // [44] the next epoch begins
}

LEAT_LOADER_TEST(unwritten, "a field that get() forgets is an error, not old bytes") {
  class Forgetful final : public ArithmeticDataset {
   public:
    Forgetful() : ArithmeticDataset(4) {}
    void get(std::size_t, Rng&, SampleWriter& out) const override { out.set(1, std::int64_t{0}); }
  };
  const Forgetful dataset;
  DataLoader loader(dataset, workers.with({.batch_size = 2}));
  expect_error<SampleError>([&] { loader.next(); }, {"did not write", "values"});
}

LEAT_LOADER_TEST(bad_sampler, "a sampler's index beyond the dataset is an error after the good batches") {
  const ArithmeticDataset dataset(10);
  DataLoader loader(dataset,
                    workers.with({.batch_size = 4, .sampler = std::make_shared<SequentialSampler>(12)}));
  CHECK(loader.next()->size() == 4);
  CHECK(loader.next()->size() == 4);
  expect_error<ArgumentError>([&] { loader.next(); }, {"index 10", "10 samples"});
  CHECK_FALSE(loader.next());
}

LEAT_LOADER_TEST(skips, "42: bad samples are left out, listed and counted") {
  const HookedDataset dataset(40, [](std::size_t index) {
    if (index % 4 == 3 || index == 8 || index == 9 || index == 10) throw DataError("file", "is bad");
  });
  auto options = workers.with({.batch_size = 4, .on_bad_sample = SampleErrorPolicy::skip});
  DataLoader loader(dataset, options);
  std::vector<std::uint64_t> indices;
  while (const auto batch = loader.next()) {
    check_rows(*batch, 0);
    CHECK(batch->number() != 2);  // nothing was left of it
    indices.insert(indices.end(), batch->indices().begin(), batch->indices().end());
  }
  CHECK(indices.size() == 27);
  CHECK(loader.bad_sample_count() == 13);
  REQUIRE(loader.bad_samples().size() == 13);
  std::set<std::uint64_t> bad;
  for (const BadSample& sample : loader.bad_samples()) {
    bad.insert(sample.origin.index);
    CHECK(sample.batch == sample.origin.index / 4);
    CHECK(sample.origin.text == "file: is bad");
  }
  CHECK(bad == std::set<std::uint64_t>{3, 7, 8, 9, 10, 11, 15, 19, 23, 27, 31, 35, 39});
}

LEAT_LOADER_TEST(substitutes, "42: bad samples are replaced by the nearest good one of their batch") {
  const HookedDataset dataset(12, [](std::size_t index) {
    if (index == 0 || index == 1 || index == 6 || index >= 8) throw DataError("file", "is bad");
  });
  DataLoader loader(dataset, workers.with({.batch_size = 4, .on_bad_sample = SampleErrorPolicy::substitute}));
  std::vector<std::vector<std::uint64_t>> batches;
  while (const auto batch = loader.next()) {
    check_rows(*batch, 0);
    batches.push_back(test::indices_of(*batch));
  }
  CHECK(batches == std::vector<std::vector<std::uint64_t>>{{2, 2, 2, 3}, {4, 5, 5, 7}});
}

LEAT_LOADER_TEST(too_many_bad,
                 "43: more bad samples than allowed end the loader, and the error says how many") {
  const HookedDataset dataset(1000, [](std::size_t index) {
    if (index >= 500) throw DataError("file", "is bad");
  });
  auto options = workers.with({.batch_size = 10, .on_bad_sample = SampleErrorPolicy::skip});
  options.bad_sample_limit = {.allowance = 5, .rate = 0.02};
  DataLoader loader(dataset, options);
  std::size_t samples = 0;
  const auto drain = [&] {
    while (const auto batch = loader.next()) samples += batch->size();
  };
  expect_error<TooManyBadSamplesError>(drain, {"2 %", "is bad"});
  CHECK(samples == 500);
  expect_error<TooManyBadSamplesError>(drain, {"2 %"});
}

}  // namespace
}  // namespace leat
