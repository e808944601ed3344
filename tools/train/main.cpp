// leat-train: trains a model on a folder of images.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "tools/common/command_line.h"
#include "tools/common/text_file.h"
#include "tools/common/transforms.h"
#include "tools/train/checkpoint.h"
#include "tools/train/communicators.h"
#include "tools/train/image_feeds.h"
#include "tools/train/options.h"
#include "tools/train/report.h"
#include "tools/train/trainer.h"

using namespace leat;
using namespace leat::detail;
using namespace leat::tools;

namespace {

void check_options(const TrainOptions& options, const WorldSettings& world) {
  check_ranks(world, options.replicas, options.device);
  if (!options.json.empty()) check_can_write(options.json);
  if (!options.checkpoint.empty() && world.rank == 0) {
    check_can_write(options.checkpoint);
    check_can_write(options.checkpoint + ".tmp");  // which becomes the checkpoint when it is complete
  }
  if (options.batch_size % static_cast<std::size_t>(world.world_size) != 0) {
    throw UsageError(
        fmt::format("--batch-size {} is no multiple of WORLD_SIZE={}", options.batch_size, world.world_size));
  }
}

TrainerOptions trainer_options(const TrainOptions& options, const ImageFeeds& feeds) {
  const auto size = static_cast<std::size_t>(options.image_size);
  return {.model = {.inputs = size * size * 3, .hidden = options.hidden, .classes = feeds.classes().size()},
          .batch_size = options.batch_size,
          .local_batch_size = feeds.local_batch_size(),
          .sgd = {options.learning_rate, options.momentum, options.weight_decay},
          .total_steps = options.epochs * divide_up(feeds.train_samples(), options.batch_size),
          .seed = options.seed};
}

// Reads the checkpoint that the run goes on from, if there is one. Throws UsageError if it is of another run.
std::optional<StoredCheckpoint> find_checkpoint(const TrainOptions& options, const ImageFeeds& feeds,
                                                const Say& say) {
  if (!options.resume) return std::nullopt;
  auto stored = read_checkpoint(options.checkpoint);
  if (!stored) {
    say(fmt::format("there is no checkpoint '{}' yet: the run begins", options.checkpoint));
    return std::nullopt;
  }
  const Checkpoint& checkpoint = stored->checkpoint;
  check_same_run(options.checkpoint, checkpoint, run_settings(options, feeds));
  say(fmt::format("the run goes on from '{}': {} of {} epochs and {} steps are done", options.checkpoint,
                  checkpoint.epochs.size(), options.epochs, checkpoint.progress.steps));
  return stored;
}

void run(const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const WorldSettings world = find_world(options);
  check_options(options, world);
  const Say say = [quiet = world.rank != 0](const std::string& text) {
    if (!quiet) print_line(text);
  };
  ImageLocation location = find_images(options.data, say);
  location.allow_corrupt = options.allow_corrupt;
  location.allow_empty = options.allow_empty;
  ImageFeeds feeds(location, options, world);  // before the first thread and the first CUDA call
  say(fmt::format(
      "{}: {} images to train on, {} held back, {} classes, number of workers: {}", options.data,
      feeds.train_samples(), feeds.test_samples(), feeds.classes().size(),
      options.num_workers == kAutoWorkers ? "chosen while it runs" : std::to_string(options.num_workers)));

  const auto stored = find_checkpoint(options, feeds, say);
  Device& device = device_of_rank(world, options.device);
  Trainer trainer(device,
                  make_communicators(world, options.replicas, device,
                                     job_settings(options, feeds, stored ? stored->checksum : ""), say),
                  trainer_options(options, feeds));
  Checkpoint state;
  if (stored) {
    state = stored->checkpoint;
    trainer.restore(state.model, state.epochs.size(), feeds.train_samples());
    if (state.progress.steps > 0) feeds.train().restore(state.loader);
  }
  state.settings = run_settings(options, feeds);
  Prefetcher train(feeds.train(), device, normalized_images());
  Prefetcher test(feeds.test(), device, normalized_images());
  RunReport report{.device = device.name(),
                   .math = trainer.replica(0).classifier().math_name(),
                   .processes = world.world_size,
                   .replicas = trainer.replicas(),
                   .communicator = trainer.replica(0).engine(),
                   .batch_size = options.batch_size};
  const auto save = [&](const EpochProgress& progress, const LoaderState& loader) {
    state.progress = progress;
    state.loader = loader;
    state.model = trainer.model_state();
    write_checkpoint(options.checkpoint, state);
  };
  CheckpointPlan checkpoints{.steps = options.checkpoint_steps};
  const bool saves = !options.checkpoint.empty() && world.rank == 0;
  if (saves) checkpoints.save = save;
  for (std::size_t epoch = state.epochs.size(); epoch < options.epochs; ++epoch) {
    const EpochFigures trained =
        trainer.train(train, epoch, feeds.train_samples(), std::exchange(state.progress, {}), checkpoints);
    state.epochs.push_back({trained, trainer.evaluate(test, feeds.test_samples())});
    say(epoch_line(epoch, options.epochs, state.epochs.back()));
    if (saves) save({}, {});
  }
  report.epochs = state.epochs;
  report.num_workers = feeds.train().stats().active_workers;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  say(summary(report));
  if (!options.json.empty() && world.rank == 0) write_text_file(options.json, to_json(report));
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("leat-train", [&] {
    if (const auto options = read_train_options(argc, argv)) run(*options);
  });
}
