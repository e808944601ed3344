#include "tests/interleaving/store_life.h"

#include <span>

#include "leat/datasets/combinators/sample_store.h"

namespace leat::interleaving {

using namespace leat::detail;

namespace {

constexpr std::size_t kRoom = SampleStore::kRoomAlignment;

class Filling {
 public:
  Filling(const StoreLife& life, std::size_t workers)
      : life_(life), workers_(workers), store_(life.samples, life.rooms * kRoom) {}

  void run() {
    simulation_.memory_is_short = false;
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      simulation_.start(Simulation::kFirstWorker + worker, [this, worker] {
        for (std::size_t i = 0; i < life_.samples; ++i) get((worker + i) % life_.samples, worker);
      });
    }
    simulation_.step();
    simulation_.memory_is_short = life_.memory_ends;
    simulation_.block([this] { return !any_runs(); });
    simulation_.aside([this] { return check_rooms(); });
    for (std::size_t sample = 0; sample < life_.samples; ++sample) get(sample, workers_);
    simulation_.aside([this] { return check_all(); });
  }

 private:
  bool any_runs() const {
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      if (simulation_.runs(Simulation::kFirstWorker + worker)) return true;
    }
    return false;
  }

  // What a Cache does, with samples of two bytes: both say which sample it is, and who wrote it.
  void get(std::size_t sample, std::size_t writer) {
    const std::span<const std::byte> kept = store_.find(sample);
    if (!kept.empty()) return check(sample, kept);
    store_.store(sample, 2, [&](std::span<std::byte> room) {
      const std::size_t value = 16 * sample + writer;
      room[0] = static_cast<std::byte>(value);
      // The second byte may be late, until the sample is published.
      simulation_.store({&room[1], 1}, value, std::memory_order_relaxed, std::source_location::current());
      ++written_;
    });
  }

  void check(std::size_t sample, std::span<const std::byte> kept) const {
    simulation_.require(kept[0] == kept[1], "a sample is torn");
    simulation_.require(static_cast<std::size_t>(kept[0]) / 16 == sample, "another sample is found");
  }

  // All that was used was written, or belongs to a worker that died.
  bool check_rooms() const {
    const SampleStore::Figures figures = store_.figures();
    const std::size_t rooms = figures.used / kRoom, deaths = simulation_.deaths().size();
    simulation_.require(rooms <= life_.rooms, "more room is used than there is");
    simulation_.require(figures.stored <= written_, "a sample is there that nobody wrote");
    const std::size_t refused = figures.closed ? workers_ : 0;  // each at most once
    simulation_.require(written_ <= rooms && rooms <= written_ + deaths + refused, "room is lost");
    simulation_.require(!figures.closed || life_.memory_ends, "the store is closed");
    return true;
  }

  bool check_all() const {
    const SampleStore::Figures figures = store_.figures();
    const bool full = figures.used == life_.rooms * kRoom;
    simulation_.require(figures.stored == life_.samples || full || figures.closed,
                        "a sample cannot be stored");
    for (std::size_t sample = 0; sample < life_.samples; ++sample) {
      const std::span<const std::byte> kept = store_.find(sample);
      if (!kept.empty()) check(sample, kept);
    }
    return true;
  }

  const StoreLife life_;
  const std::size_t workers_;
  Simulation& simulation_ = Simulation::current();
  SampleStore store_;
  std::size_t written_ = 0;
};

}  // namespace

void live(const StoreLife& life, const Machine& machine) {
  Filling(life, machine.workers).run();
}

}  // namespace leat::interleaving
