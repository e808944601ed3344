#include "tools/train/trainer.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include "leat/datasets/base/checked.h"
#include "leat/parallel/scatter.h"
#include "tools/train/schedule.h"

namespace leat::tools {

using namespace detail;

namespace {

double wait_seconds(const Prefetcher& feed) {
  return feed.stats().devices.front().wait_seconds;
}

LabeledRows rows_of(const DeviceBatch& batch, const RowRange& range) {
  const TensorView images = batch["image"].rows(range.first, range.last);
  const TensorView labels = batch["label"].rows(range.first, range.last);
  return {static_cast<float*>(images.data), static_cast<const std::int64_t*>(labels.data), range.size()};
}

}  // namespace

Trainer::Trainer(Device& device, std::vector<std::unique_ptr<Communicator>> communicators,
                 const TrainerOptions& options)
    : device_(&device), options_(options), arrived_(device.make_event()) {
  make_replicas(std::move(communicators));
  for (std::size_t i = 0; i < replicas_.size(); ++i) done_.push_back(device.make_event());
}

// Makes each replica in a thread of its own, because they wait for each other.
void Trainer::make_replicas(std::vector<std::unique_ptr<Communicator>> communicators) {
  const std::size_t count = communicators.size();
  const std::size_t max_rows = divide_up(options_.local_batch_size, count);
  replicas_.resize(count);
  std::vector<std::exception_ptr> failures(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        replicas_[i] = std::make_unique<Replica>(*device_, std::move(communicators[i]), options_.model,
                                                 max_rows, options_.seed);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

EpochFigures Trainer::train(Prefetcher& feed, std::uint64_t epoch, std::size_t samples,
                            const EpochProgress& done, const CheckpointPlan& checkpoints) {
  const auto train_step = [this](Replica& replica, const LabeledRows& rows, const Step& step) {
    SgdOptions sgd = options_.sgd;
    sgd.learning_rate = learning_rate(sgd.learning_rate, steps_done_ + step.number, options_.total_steps);
    replica.train(rows, 1.0F / static_cast<float>(step.rows), sgd);
  };
  const EpochFigures figures = run_epoch(feed, epoch, samples, done, checkpoints, train_step);
  steps_done_ += steps_of(samples);
  return figures;
}

EpochFigures Trainer::evaluate(Prefetcher& feed, std::size_t samples) {
  return run_epoch(feed, 0, samples, {}, {},
                   [](Replica& replica, const LabeledRows& rows, const Step&) { replica.evaluate(rows); });
}

ModelState Trainer::model_state() {
  Replica& first = *replicas_.front();
  return first.classifier().parameters().state_on_host(first.stream());
}

void Trainer::restore(const ModelState& model, std::uint64_t epoch, std::size_t samples) {
  for (const auto& replica : replicas_) replica->classifier().parameters().restore(model, replica->stream());
  steps_done_ = epoch * steps_of(samples);
}

std::size_t Trainer::steps_of(std::size_t samples) const {
  return divide_up(samples, options_.batch_size);
}

EpochFigures Trainer::run_epoch(Prefetcher& feed, std::uint64_t epoch, std::size_t samples,
                                EpochProgress progress, const CheckpointPlan& checkpoints,
                                const Work& work) try {
  const auto start = std::chrono::steady_clock::now();
  const StreamRef consumer = replicas_.front()->stream();
  const double waited_before = wait_seconds(feed);
  if (progress.steps == 0) feed.start_epoch(epoch);
  const std::uint64_t rows_before = progress.sums.rows;
  bool more = true;  // ranks take equally many steps, although some may have one batch fewer than others
  for (std::size_t number = progress.steps; number < steps_of(samples); ++number) {
    std::optional<DeviceBatch> batch;
    if (more) batch = feed.next(consumer);
    more = batch.has_value();
    const std::size_t rows_left = samples - number * options_.batch_size;
    run_step(batch, {number, std::min(options_.batch_size, rows_left)}, work);
    progress.steps = number + 1;
    const bool is_last = progress.steps == steps_of(samples);
    if (is_last || checkpoints.steps == 0 || progress.steps % checkpoints.steps != 0) continue;
    progress.sums += totals();
    if (checkpoints.save) checkpoints.save(progress, batch.value().loader_state());
  }
  const Totals sums = progress.sums += totals();
  if (sums.rows != samples) {
    throw Error(fmt::format("an epoch held {} samples where {} were expected", sums.rows, samples));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double count = static_cast<double>(samples);
  return {sums.loss / count, static_cast<double>(sums.correct) / count, seconds,
          static_cast<double>(samples - rows_before) / seconds,
          (wait_seconds(feed) - waited_before) / seconds};
} catch (const std::exception& error) {
  abort(error);
  throw_cause();
  throw;
}

void Trainer::run_step(const std::optional<DeviceBatch>& batch, const Step& step, const Work& work) {
  const StreamRef consumer = replicas_.front()->stream();
  device_->record(arrived_, consumer);
  const auto chunks = chunk_rows(batch ? batch->size() : 0, replicas_.size());
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const StreamRef stream = replicas_[i]->stream();
    if (i > 0) device_->wait(stream, arrived_);
    work(*replicas_[i], i < chunks.size() ? rows_of(*batch, chunks[i]) : LabeledRows(), step);
    if (i > 0) device_->record(done_[i], stream);
  }
  // The batch is released when the consumer's stream has passed this point, so that stream waits for all others.
  for (std::size_t i = 1; i < replicas_.size(); ++i) device_->wait(consumer, done_[i]);
}

Totals Trainer::totals() {
  for (const auto& replica : replicas_) replica->start_totals();
  Totals sums;
  for (const auto& replica : replicas_) sums = replica->finish_totals();
  if (!std::isfinite(sums.loss)) {
    throw Error("the loss is no finite number any more: try a smaller --lr");
  }
  return sums;
}

// Throws the original failure of a replica, if there is one. Other replicas report it only as a CommunicationError,
// which may be noticed first.
void Trainer::throw_cause() {
  for (const auto& replica : replicas_) {
    try {
      replica->stream().synchronize();
    } catch (const CommunicationError&) {  // a consequence; if it is the cause, the caller already has it
      continue;
    }
  }
}

// Ends the communicators, so that ranks that wait for this process in a collective do not wait forever.
void Trainer::abort(const std::exception& reason) noexcept {
  for (const auto& replica : replicas_) replica->abort(reason.what());
}

}  // namespace leat::tools
