#include "tools/train/checkpoint.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "leat/datasets/errors.h"
#include "leat/loader/os/child_process.h"
#include "leat/parallel/store/deadline.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/run_program.h"
#include "tests/tools/training_run.h"
#include "tools/common/command_line.h"

using namespace leat;
using namespace leat::tools;
using namespace leat::test;
using namespace std::chrono_literals;

namespace {

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.settings = {{"--lr", "0.1"}, {"--seed", "3"}};
  checkpoint.epochs = {{.train = {.loss = 0.1, .accuracy = 0.5, .seconds = 2, .samples_per_second = 1e-300},
                        .test = {.loss = 1.0 / 3}}};
  checkpoint.progress = {.steps = 4, .sums = {.loss = 17.25, .correct = 3, .rows = 32}};
  checkpoint.loader.epoch = 1;
  checkpoint.loader.batches = 4;
  checkpoint.loader.order = "random";
  checkpoint.model = {.values = {1, -0.0F, 3e-45F, NAN}, .velocities = {5, 6, 7, INFINITY}};
  return checkpoint;
}

TEST_CASE("a checkpoint is read as it was written") {
  const TemporaryFolder folder;
  const auto file = folder / "run.ckpt";
  const Checkpoint written = some_checkpoint();
  write_checkpoint(file, written);
  write_checkpoint(file, written);  // replaces the first one
  const auto stored = read_checkpoint(file);
  REQUIRE(stored.has_value());
  const Checkpoint& read = stored->checkpoint;
  CHECK_NOTHROW(check_same_run(file, read, written.settings));
  REQUIRE(read.epochs.size() == 1);
  CHECK(read.epochs[0].train.loss == 0.1);
  CHECK(read.epochs[0].train.samples_per_second == 1e-300);
  CHECK(read.epochs[0].test.loss == 1.0 / 3);
  CHECK(read.progress.steps == 4);
  CHECK(read.progress.sums.loss == 17.25);
  CHECK(read.progress.sums.correct == 3);
  CHECK(read.progress.sums.rows == 32);
  CHECK(read.loader == written.loader);
  const auto bits = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  CHECK(bits(read.model.values) == bits(written.model.values));
  CHECK(bits(read.model.velocities) == bits(written.model.velocities));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a checkpoint with any byte changed or missing is refused, and one that is not there is none") {
  const TemporaryFolder folder;
  const auto file = folder / "run.ckpt";
  CHECK_FALSE(read_checkpoint(file).has_value());
  write_checkpoint(file, some_checkpoint());
  const std::string bytes = read(file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    folder.write("changed", changed);
    folder.write("short", bytes.substr(0, i));
    expect_error<DataError>([&] { read_checkpoint(folder / "changed"); }, {"changed"});
    expect_error<DataError>([&] { read_checkpoint(folder / "short"); }, {"short"});
  }
  folder.write("long", bytes + "x");
  expect_error<DataError>([&] { read_checkpoint(folder / "long"); }, {"long"});
}

TEST_CASE("a checkpoint of another run is refused, naming what differs") {
  const Checkpoint checkpoint = some_checkpoint();
  expect_error<UsageError>(
      [&] {
        check_same_run("run.ckpt", checkpoint, {{"--lr", "0.2"}, {"--seed", "3"}, {"--epochs", "6"}});
      },
      {"'run.ckpt'", "--lr was \"0.1\" and is \"0.2\"", "--epochs was \"not known\" and is \"6\""});
}

constexpr std::size_t kSteps = 4;  // of an epoch

// Trains two epochs, interrupted after `steps` steps of the second one, in which `first` and then `second` replicas
// take part.
struct Interrupted {
  Interrupted(std::size_t steps, int first, int second) : run(second, 0.02F, 2) {
    const TemporaryFolder folder;
    const auto file = folder / "run.ckpt";
    Checkpoint saved;
    {
      Run before(first, 0.02F, 2);
      saved.epochs.push_back({.train = before.trainer.train(before.feed, 0, kSamples), .test = {}});
      const auto save = [&](const EpochProgress& progress, const LoaderState& loader) {
        if (progress.steps != steps) return;
        saved.progress = progress;
        saved.loader = loader;
        saved.model = before.trainer.model_state();
        write_checkpoint(file, saved);
      };
      if (steps == 0) {
        saved.model = before.trainer.model_state();
        write_checkpoint(file, saved);
      } else {
        before.trainer.train(before.feed, 1, kSamples, {}, {.steps = 1, .save = save});
      }
    }
    const Checkpoint read = read_checkpoint(file).value().checkpoint;
    run.trainer.restore(read.model, 1, kSamples);
    if (read.progress.steps > 0) run.loader.restore(read.loader);
    figures = run.trainer.train(run.feed, 1, kSamples, read.progress);
  }

  Run run;
  EpochFigures figures;
};

TEST_CASE("a run that goes on from a checkpoint ends as if it had not been interrupted") {
  for (const int replicas : {1, 2}) {
    Run whole(replicas, 0.02F, 2);
    whole.trainer.train(whole.feed, 0, kSamples);
    const EpochFigures expected = whole.trainer.train(whole.feed, 1, kSamples);
    for (std::size_t steps = 0; steps < kSteps; ++steps) {
      INFO(replicas << " replicas, interrupted after step " << steps);
      Interrupted interrupted(steps, replicas, replicas);
      CHECK(interrupted.run.parameters(0) == whole.parameters(0));
      CHECK(interrupted.figures.loss == Catch::Approx(expected.loss).epsilon(1e-12));
      CHECK(interrupted.figures.accuracy == expected.accuracy);
    }
    Interrupted other(2, replicas, 3 - replicas);
    CHECK(largest_difference(other.run.parameters(0), whole.parameters(0)) < 1e-5);
    CHECK(other.figures.loss == Catch::Approx(expected.loss).margin(1e-6));
  }
}

TEST_CASE("checkpoints do not change what is learned") {
  Run plain(2, 0.02F, 1), saving(2, 0.02F, 1);
  std::size_t saved = 0;
  const auto save = [&](const EpochProgress& progress, const LoaderState& loader) {
    CHECK(progress.sums.rows == progress.steps * kBatch);
    CHECK(loader.batches == progress.steps);
    ++saved;
  };
  plain.trainer.train(plain.feed, 0, kSamples);
  saving.trainer.train(saving.feed, 0, kSamples, {}, {.steps = 1, .save = save});
  CHECK(saved == kSteps - 1);
  CHECK(saving.parameters(0) == plain.parameters(0));
}

TEST_CASE("a model of another size is not restored") {
  Run run(1, 0.02F, 1);
  expect_error<ArgumentError>([&] { run.trainer.restore({{1, 2}, {3, 4}}, 0, kSamples); }, {"2 parameters"});
}

nlohmann::json figures_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(read(file));
}

TEST_CASE("leat-train goes on after kill -9, also on another number of ranks", "[process]") {
  const TemporaryFolder folder;
  const std::string whole = folder / "whole.json", rest = folder / "rest.json", file = folder / "run.ckpt";
  const std::string command = training(whole, 20);
  REQUIRE(run(command).code == 0);
  const std::string saving = training(rest, 20) + " --checkpoint " + file + " --checkpoint-steps 2";
  {
    auto first = leat::detail::ChildProcess::run(
        [&] { return ::execl("/bin/sh", "sh", "-c", ("exec " + saving + " >/dev/null").c_str(), nullptr); });
    const leat::detail::Deadline deadline(30s);
    while (!std::filesystem::exists(file) && !deadline.passed()) std::this_thread::sleep_for(1ms);
    REQUIRE(std::filesystem::exists(file));
    first.kill(SIGKILL);
    first.wait();
  }
  const Outcome outcome = run(kRun + " -n 2 " + saving + " --resume");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("goes on from '" + file + "'") != std::string::npos);
  const auto expected = figures_of(whole), found = figures_of(rest);
  CHECK(found.at("processes") == 2);
  REQUIRE(found.at("epochs").size() == 20);
  for (std::size_t epoch = 0; epoch < 20; ++epoch) {
    const double difference = found.at("epochs").at(epoch).at("loss").get<double>() -
                              expected.at("epochs").at(epoch).at("loss").get<double>();
    CHECK(std::abs(difference) < 1e-4);
  }
  const Outcome ended = run(saving + " --resume");  // nothing is left to do
  CHECK(ended.code == 0);
  CHECK(ended.out.find("20 of 20 epochs") != std::string::npos);
  const Outcome other = run(saving + " --resume --seed 4");
  CHECK(other.code == 2);
  CHECK(other.err.find("--seed was \"0\" and is \"4\"") != std::string::npos);
}

TEST_CASE("a rank that has not read the same checkpoint is told so", "[process]") {
  const TemporaryFolder folder;
  const std::string file = folder / "run.ckpt", unused = folder / "unused";
  REQUIRE(run(training(unused) + " --checkpoint " + file).code == 0);
  std::filesystem::copy_file(file, file + "0");
  const Outcome outcome =
      run(kRun + " -n 2 sh -c 'exec \"$@\" --resume --checkpoint " + file + "$RANK' sh " + training(unused));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("checksum of the checkpoint is ") != std::string::npos);
}

TEST_CASE("the options of checkpoints need a file", "[process]") {
  for (const std::string option : {"--resume", "--checkpoint-steps 3", "--checkpoint /nowhere/run.ckpt"}) {
    const Outcome outcome = run(kTrain + " --data " + images() + " " + option);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(lines(outcome.err) == 1);
  }
}

}  // namespace
