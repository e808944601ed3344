#include "tools/train/trainer.h"

#include <array>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <cstdio>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/parallel/local_group.h"
#include "tests/support/expect_error.h"
#include "tests/tools/training_run.h"

using namespace leat;
using namespace leat::tools;
using namespace std::chrono_literals;

using namespace leat::test;

TEST_CASE("replicas agree with each other to the bit, and with one replica up to rounding") {
  Run alone(1, 0.02F, 3);
  std::vector<double> losses;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    losses.push_back(alone.trainer.train(alone.feed, epoch, kSamples).loss);
  }
  const auto expected = alone.parameters(0);
  for (const int replicas : {2, 3, 5}) {
    INFO(replicas << " replicas");
    Run run(replicas, 0.02F, 3);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      CHECK(run.trainer.train(run.feed, epoch, kSamples).loss == Catch::Approx(losses[epoch]).margin(1e-6));
    }
    const auto parameters = run.parameters(0);
    for (int i = 1; i < replicas; ++i) CHECK(run.parameters(static_cast<std::size_t>(i)) == parameters);
    CHECK(largest_difference(parameters, expected) < 1e-5);
  }
}

TEST_CASE("a GPU trains like the host", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::printf("SKIPPED: %s\n", cuda_unavailable_reason().c_str());
    return;
  }
  Run host(1, 0.02F, 3), gpu(1, 0.02F, 3, cuda_device());
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    const double expected = host.trainer.train(host.feed, epoch, kSamples).loss;
    CHECK(gpu.trainer.train(gpu.feed, epoch, kSamples).loss == Catch::Approx(expected).margin(1e-5));
  }
  CHECK(largest_difference(gpu.parameters(0), host.parameters(0)) < 1e-4);
}

TEST_CASE("what brightness tells is learned, and evaluation changes nothing") {
  Run run(2, 0.05F, 30);
  EpochFigures figures;
  for (std::uint64_t epoch = 0; epoch < 30; ++epoch) figures = run.trainer.train(run.feed, epoch, kSamples);
  CHECK(figures.loss < 0.2);
  const auto before = run.parameters(0);
  const EpochFigures tested = run.trainer.evaluate(run.feed, kSamples);
  CHECK(tested.accuracy == 1);
  CHECK(run.parameters(0) == before);
  CHECK(tested.samples_per_second > 0);
  CHECK(tested.data_wait_share >= 0);
  CHECK(tested.data_wait_share <= 1);
}

TEST_CASE("a short batch counts by the rows that it has") {
  const InMemoryDataset data = bright_images(1);
  const auto trained = [&](std::size_t batch_size) {
    DataLoader loader(data, {.batch_size = batch_size});
    TrainerOptions options = options_for(0.1F, 1);
    options.batch_size = batch_size;
    Trainer trainer(host_device(), make_communicators({}, 1, host_device(), {}, {}), options);
    Prefetcher feed(loader, host_device(), normalized_images());
    trainer.train(feed, 0, 1);
    const Stream stream = host_device().make_stream();
    return trainer.replica(0).classifier().parameters().values_on_host(stream);
  };
  CHECK(trained(8) == trained(1));
}

TEST_CASE("the learning rate's schedule goes on from epoch to epoch") {
  Run run(1, 0.1F, 1);
  TrainerOptions options = options_for(0.1F, 1);
  options.batch_size = kSamples;
  options.local_batch_size = kSamples;
  options.total_steps = 1;
  Trainer trainer(host_device(), make_communicators({}, 1, host_device(), {}, {}), options);
  DataLoader loader(run.data, {.batch_size = kSamples});
  Prefetcher feed(loader, host_device(), normalized_images());
  const Stream stream = host_device().make_stream();
  const ParameterSet& parameters = trainer.replica(0).classifier().parameters();
  const auto initial = parameters.values_on_host(stream);
  trainer.train(feed, 0, kSamples);
  const auto trained = parameters.values_on_host(stream);
  CHECK(trained != initial);
  trainer.train(feed, 1, kSamples);  // behind the last step, at a rate of 0
  CHECK(parameters.values_on_host(stream) == trained);
}

TEST_CASE("a replica reads its rows of a batch, however slow it or another one is") {
  const std::size_t slow = GENERATE(0, 1);
  const InMemoryDataset data = bright_images(kSamples);
  DataLoader loader(data, {.batch_size = kBatch});
  Trainer trainer(host_device(), make_communicators({}, 2, host_device(), {}, {}), options_for(0.1F, 1));
  PrefetcherOptions how = normalized_images();
  how.buffers = 2;  // the third batch comes where the first was
  Prefetcher feed(loader, host_device(), how);
  const double expected = trainer.evaluate(feed, kSamples).loss;
  std::promise<void> gate;
  host_device().enqueue(trainer.replica(slow).stream(), [open = gate.get_future().share()] { open.wait(); });
  std::jthread opener([&] {
    std::this_thread::sleep_for(200ms);  // a replica that does not wait has read by then
    gate.set_value();
  });
  CHECK(trainer.evaluate(feed, kSamples).loss == expected);
}

TEST_CASE("a failure on one replica is the run's, and nobody hangs on it") {
  Run run(3, 0.01F, 1);
  TrainerOptions options = options_for(0.01F, 1);
  options.model.classes = 2;  // the data has three
  Trainer trainer(host_device(), make_communicators({}, 3, host_device(), {}, {}), options);
  expect_error<Error>([&] { trainer.train(run.feed, 0, kSamples); }, {"label 2", "[0, 2)"});
}

// Images of which one cannot be read, if it is asked to.
class SomeImages final : public Dataset {
 public:
  explicit SomeImages(bool fails) : images_(bright_images(24)), fails_(fails) {}
  std::size_t size() const override { return images_.size(); }
  const Schema& schema() const override { return images_.schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    if (fails_ && index == 20) throw DataError("image 20", "it is damaged");
    images_.get(index, rng, out);
  }

 private:
  InMemoryDataset images_;
  bool fails_;
};

TEST_CASE("ranks do not wait for a trainer that has failed") {
  auto group = make_local_group(2, host_device(), 1h);
  std::array<std::string, 2> errors;
  std::latch ended(2);  // a communicator that goes would end the others, too
  std::vector<std::jthread> ranks;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      std::vector<std::unique_ptr<Communicator>> own;
      own.push_back(std::move(group[rank]));
      const SomeImages data(rank == 0);
      DataLoader loader(data, {.batch_size = kBatch});
      TrainerOptions options = options_for(0.01F, 1);
      options.batch_size = 2 * kBatch;
      Trainer trainer(host_device(), std::move(own), options);
      Prefetcher feed(loader, host_device(), normalized_images());
      try {
        trainer.train(feed, 0, 48);
      } catch (const std::exception& error) {
        errors[rank] = describe(error);
      }
      ended.arrive_and_wait();
    });
  }
  ranks.clear();
  for (const std::string& error : errors) {
    INFO(error);
    CHECK(error.find("it is damaged") != std::string::npos);
  }
}

TEST_CASE("an epoch of another length than announced is an error") {
  Run run(1, 0.01F, 1);
  expect_error<Error>([&] { run.trainer.train(run.feed, 0, kSamples + 3); }, {"25", "28"});
}

TEST_CASE("a loss that runs away is an error") {
  Run run(2, 1e30F, 2);
  expect_error<Error>(
      [&] {
        run.trainer.train(run.feed, 0, kSamples);
        run.trainer.train(run.feed, 1, kSamples);
      },
      {"no finite number", "--lr"});
}
