#include "leat/loader/workers/read_ahead.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <vector>

#include "leat/datasets/base/shared_memory.h"
#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"

namespace leat {

using namespace leat::detail;

namespace {

using test::ArithmeticDataset;
using test::delivered_bytes;

constexpr std::size_t kSamples = 300, kBatch = 70, kMostWorkers = 5;

// Of one epoch. Each worker writes its own part alone.
struct Sightings {
  struct Worker {
    std::array<int, kSamples> announced;
    bool pending;  // announced since the last get()
    std::size_t lowest, highest;
  };
  std::array<Worker, kMostWorkers> workers;
  std::atomic<std::size_t> announced, misplaced, repeated, unannounced;
};

// Checks what is announced against what is loaded, in memory that all workers share. Where samples come in order, an
// index is a position.
class WatchedDataset final : public ArithmeticDataset {
 public:
  explicit WatchedDataset(bool reads_ahead) : ArithmeticDataset(kSamples), reads_ahead_(reads_ahead) {}

  bool reads_ahead() const noexcept override { return reads_ahead_; }

  void read_ahead(std::size_t index) const noexcept override {
    Sightings::Worker& mine = of_worker();
    ++seen().announced;
    if (index >= kSamples) {
      ++seen().misplaced;
      return;
    }
    if (mine.announced[index]++ > 0) ++seen().repeated;
    mine.lowest = mine.pending ? std::min(mine.lowest, index) : index;
    mine.highest = mine.pending ? std::max(mine.highest, index) : index;
    mine.pending = true;
  }

  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    Sightings::Worker& mine = of_worker();
    const std::size_t batch_end = (index / kBatch + 1) * kBatch;
    const std::size_t end = std::min(batch_end, index + ReadAhead::kRows + 1);
    if (mine.pending && (mine.lowest < index || mine.highest >= end)) ++seen().misplaced;
    mine.pending = false;
    if (mine.announced[index] == 0) ++seen().unannounced;
    ArithmeticDataset::get(index, rng, out);
  }

  Sightings& seen() const { return *reinterpret_cast<Sightings*>(memory_.bytes().data()); }

 private:
  Sightings::Worker& of_worker() const {
    const auto info = worker_info();
    return seen().workers[info ? static_cast<std::size_t>(info->id) : 0];
  }

  SharedMemory memory_{"sightings", sizeof(Sightings)};  // zeros
  bool reads_ahead_;
};

LEAT_LOADER_TEST(announces,
                 "what a worker loads was announced by it, once, in its batch, at most 32 rows before") {
  const WatchedDataset dataset(true);
  DataLoader loader(dataset, workers.with({.batch_size = kBatch}));
  const auto bytes = delivered_bytes(loader, 0);
  CHECK(dataset.seen().announced >= kSamples);
  CHECK(dataset.seen().misplaced == 0);
  CHECK(dataset.seen().repeated == 0);
  CHECK(dataset.seen().unannounced == 0);
  const ArithmeticDataset plain(kSamples);
  DataLoader other(plain, workers.with({.batch_size = kBatch}));
  CHECK(bytes == delivered_bytes(other, 0));
}

LEAT_LOADER_TEST(leaves_alone, "a dataset that does not read ahead is not asked to") {
  const WatchedDataset dataset(false);
  DataLoader loader(dataset, workers.with({.batch_size = kBatch}));
  delivered_bytes(loader, 0);
  CHECK(dataset.seen().announced == 0);
}

// Notes what is announced.
class Notes final : public Dataset {
 public:
  std::size_t size() const override { return 1000; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t, Rng&, SampleWriter&) const override {}
  void read_ahead(std::size_t index) const noexcept override { noted_.push_back(index); }
  bool reads_ahead() const noexcept override { return true; }

  std::vector<std::size_t> take() { return std::exchange(noted_, {}); }

 private:
  Schema schema_{{{"x", DType::u8, {}}}};
  mutable std::vector<std::size_t> noted_;
};

std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> numbers(last - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST_CASE("a worker announces 32 rows ahead, and beyond its chunk to the end of the batch") {
  Notes notes;
  ReadAhead ahead(notes);
  std::vector<std::uint64_t> indices(60);
  std::iota(indices.begin(), indices.end(), 100);
  ahead.before(7, indices, 0);
  CHECK(notes.take() == range(100, 133));
  ahead.before(7, indices, 1);
  CHECK(notes.take() == range(133, 134));
  ahead.before(7, indices, 20);  // others loaded the rows between
  CHECK(notes.take() == range(134, 153));
  ahead.before(7, indices, 40);
  CHECK(notes.take() == range(153, 160));
  ahead.before(7, indices, 59);
  ahead.before(7, indices, 5);  // left by a worker that died
  CHECK(notes.take().empty());
  ahead.before(8, std::span(indices).first(3), 2);
  CHECK(notes.take() == range(102, 103));
}

}  // namespace
}  // namespace leat
