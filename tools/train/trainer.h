// Training and evaluation over epochs, on the replicas of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "leat/loader/loader_state.h"
#include "leat/transfer/prefetcher.h"
#include "tools/train/replica.h"

namespace leat::tools {

struct TrainerOptions {
  ClassifierShape model;
  std::size_t batch_size = 64;        // per step, over all replicas of all ranks
  std::size_t local_batch_size = 64;  // this process's share of it, which the feeds deliver
  SgdOptions sgd;                     // learning_rate is the peak of the schedule
  std::size_t total_steps = 1;        // of the whole run, for the schedule
  std::uint64_t seed = 0;
};

struct EpochFigures {
  double loss = 0;      // mean over the samples, each at the time of its step
  double accuracy = 0;  // share of the samples
  double seconds = 0;
  double samples_per_second = 0;  // of all ranks
  double data_wait_share = 0;     // share of the time in which this process's first replica had no data
};

// How much of an epoch is done.
struct EpochProgress {
  std::size_t steps = 0;
  Totals sums;  // of these steps, over all ranks
};

// Saves a run within an epoch. Every rank has an equal `steps`; on those that do not save, `save` is empty.
struct CheckpointPlan {
  std::size_t steps = 0;  // after each so many steps of an epoch, except the last; 0: never
  // `loader` is the state from which the feed's loader goes on after the newest step.
  std::function<void(const EpochProgress& progress, const LoaderState& loader)> save = nullptr;
};

// The global batch of a step is divided into equal shares: among the ranks by their samplers, and among the replicas
// of a rank along the first dimension. Each row has the weight 1 / (rows of the global batch). So the parameters
// after a step are those of a single replica, except for the order of float sums, even if the last batch is short or
// a replica has no rows.
//
// Not thread-safe.
class Trainer {
 public:
  // Makes one replica on `device` for each communicator. A null communicator stands for the only rank. Collective:
  // every rank of the communicators must make its trainer at the same time.
  Trainer(Device& device, std::vector<std::unique_ptr<Communicator>> communicators,
          const TrainerOptions& options);

  // Runs one epoch over `samples` samples of all ranks together. `feed` delivers this rank's share, as the fields
  // "image", f32 [rows, ...], and "label", i64 [rows], on this device. Throws what the feed and the devices throw.
  // Throws Error if the epoch holds another number of samples, or if the loss is not finite.
  //
  // `done` is what was done of the epoch before it was interrupted. If it has any steps, the feed must go on there: its
  // loader was restored. The figures are of the whole epoch, except those of time.
  EpochFigures train(Prefetcher& feed, std::uint64_t epoch, std::size_t samples,
                     const EpochProgress& done = {}, const CheckpointPlan& checkpoints = {});
  EpochFigures evaluate(Prefetcher& feed, std::size_t samples);

  // Returns the state of the model, which all replicas share.
  ModelState model_state();
  // Sets it on this rank, and the schedule to the beginning of an epoch of `samples` samples. Every rank must restore
  // the same.
  void restore(const ModelState& model, std::uint64_t epoch, std::size_t samples);

  Replica& replica(std::size_t index) { return *replicas_.at(index); }
  std::size_t replicas() const { return replicas_.size(); }

 private:
  struct Step {
    std::size_t number = 0;  // in the epoch, from 0
    std::size_t rows = 0;    // of the global batch
  };
  using Work = std::function<void(Replica& replica, const LabeledRows& rows, const Step& step)>;

  void make_replicas(std::vector<std::unique_ptr<Communicator>> communicators);
  std::size_t steps_of(std::size_t samples) const;
  EpochFigures run_epoch(Prefetcher& feed, std::uint64_t epoch, std::size_t samples, EpochProgress progress,
                         const CheckpointPlan& checkpoints, const Work& work);
  void run_step(const std::optional<DeviceBatch>& batch, const Step& step, const Work& work);
  Totals totals();  // of all ranks, since the last call
  void abort(const std::exception& reason) noexcept;
  void throw_cause();  // returns if there is no better one

  Device* device_;
  TrainerOptions options_;
  std::size_t steps_done_ = 0;  // training steps of the epochs that have ended
  Event arrived_;               // marks the arrival of the batch, on the first replica's stream
  std::vector<Event> done_;     // marks the end of the work on the batch, on each replica's stream
  std::vector<std::unique_ptr<Replica>> replicas_;
};

}  // namespace leat::tools
