// Measurements of the first batches, of fairness and of the hand-over.
#include <stdexcept>

#include "bench/latency/cases.h"
#include "bench/latency/timed_dataset.h"
#include "leat/loader/data_loader.h"

namespace leat::bench {

namespace {

using namespace std::chrono_literals;

const auto kQuiet = [](const std::string&) {};

void require(bool right, const char* what) {
  if (!right) throw std::runtime_error(what);
}

double first_batch(int workers) {
  const TimedDataset dataset(256, [](std::size_t) { return 20ms; });
  DataLoader loader(dataset, {.batch_size = 64, .num_workers = workers, .on_warning = kQuiet});
  return milliseconds_of([&] { require(loader.next()->size() == 64, "the first batch is not whole"); });
}

double eight_workers_up() {
  const TimedDataset dataset(256, [](std::size_t) { return 0ms; });
  std::optional<DataLoader> loader;
  return milliseconds_of([&] {
    loader.emplace(dataset, DataLoaderOptions{.batch_size = 64, .num_workers = 8, .on_warning = kQuiet});
    require(loader->worker_pids().size() == 8, "not all workers run");
  });
}

// Loads 100 batches of 4 samples. The samples of a batch take 10 ms together; the very first sample takes a second.
double behind_a_slow_sample(std::size_t prefetch_factor, bool in_order) {
  const TimedDataset dataset(400, [](std::size_t index) { return index == 0 ? 1000ms : 2500us; });
  DataLoader loader(dataset, {.batch_size = 4,
                              .num_workers = 4,
                              .prefetch_factor = prefetch_factor,
                              .in_order = in_order,
                              .on_warning = kQuiet});
  std::size_t batches = 0;
  const double ms = milliseconds_of([&] {
    while (loader.next()) ++batches;
  });
  require(batches == 100, "batches were lost");
  return ms / 1000;
}

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Measures next() for a batch that has been ready for a while. Uses several loaders, because on a shared machine the
// contents of the caches after a pause change from second to second.
Figure next_on_a_ready_batch() {
  constexpr std::size_t kLoaders = 5, kBatches = 400, kBatch = 256;
  const TimedDataset dataset(kBatches * kBatch, [](std::size_t) { return 0ms; });
  Figure figure{"next() on a ready batch of 256, median", "us", 2, {}};
  for (std::size_t i = 0; i < kLoaders; ++i) {
    DataLoader loader(dataset,
                      {.batch_size = kBatch, .shuffle = true, .num_workers = 1, .on_warning = kQuiet});
    std::optional<HostBatch> batch = loader.next();
    for (std::size_t j = 1; j < kBatches; ++j) {
      std::this_thread::sleep_for(1ms);  // the consumer computes
      batch.reset();
      std::this_thread::sleep_for(200us);
      const std::int64_t began = now_ns();
      batch = loader.next();
      figure.values.push_back(static_cast<double>(now_ns() - began) / 1000);
    }
  }
  return figure;
}

// Measures the time from the end of get() in a worker to the return of the next() that waited for it.
Figure worker_to_consumer() {
  const TimedDataset dataset(2000, [](std::size_t) { return 300us; });
  DataLoader loader(dataset, {.num_workers = 1, .prefetch_factor = 2, .on_warning = kQuiet});
  Figure figure{"hand-over worker to waiting consumer, median", "us", 30, {}};
  while (const auto batch = loader.next()) {
    const std::int64_t now = now_ns();
    figure.values.push_back(static_cast<double>(now - (*batch)["ended"].as<std::int64_t>()[0]) / 1000);
  }
  return figure;
}

}  // namespace

std::vector<Figure> first_batches() {
  return {measure("first batch, 64 samples of 20 ms, 8 workers", "ms", 200, 5, [] { return first_batch(8); }),
          measure("first batch, 64 samples of 20 ms, 1 worker", "ms", 1300, 1, [] { return first_batch(1); }),
          measure("8 workers up (constructor)", "ms", 20, 9, eight_workers_up)};
}

std::vector<Figure> fairness() {
  return {measure("a 1 s sample before 99 batches of 10 ms, 4 workers, in order, prefetch_factor 25", "s",
                  1.05, 3, [] { return behind_a_slow_sample(25, true); }),
          measure("the same, prefetch_factor 2 (the default)", "s", 1.05, 3,
                  [] { return behind_a_slow_sample(2, true); }),
          measure("the same, prefetch_factor 2, as they get ready", "s", 1.05, 3,
                  [] { return behind_a_slow_sample(2, false); })};
}

std::vector<Figure> hand_over() {
  return {next_on_a_ready_batch(), worker_to_consumer()};
}

}  // namespace leat::bench
