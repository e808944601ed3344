#include "loader/data_loader.h"

#include <utility>

#include "loader/loader_core.h"

namespace leat {

DataLoader::DataLoader(const Dataset& dataset, DataLoaderOptions options)
    : core_(std::make_unique<LoaderCore>(dataset, std::move(options))) {}
DataLoader::DataLoader(DataLoader&&) noexcept = default;
DataLoader& DataLoader::operator=(DataLoader&&) noexcept = default;
DataLoader::~DataLoader() = default;

std::size_t DataLoader::size() const {
  return core_->batches();
}
std::optional<HostBatch> DataLoader::next() {
  return core_->next();
}
void DataLoader::start_epoch(std::uint64_t epoch) {
  core_->start_epoch(epoch);
}

LoaderState DataLoader::state() const {
  return core_->state();
}
void DataLoader::restore(const LoaderState& state) {
  core_->restore(state);
}

LoaderStats DataLoader::stats() const {
  return core_->stats();
}

BatchRange<HostBatch> DataLoader::epoch(std::uint64_t epoch) {
  start_epoch(epoch);
  return BatchRange<HostBatch>([this] { return next(); });
}

SlotMemory DataLoader::slots() const {
  return {core_->scheduler().table().slot_memory(), layout().bytes(), core_->scheduler().table().slots()};
}
std::shared_ptr<const void> DataLoader::slot_keeper() const {
  return core_->keeper();
}
const BatchLayout& DataLoader::layout() const {
  return core_->scheduler().table().layout();
}
const DataLoaderOptions& DataLoader::options() const {
  return core_->options();
}
std::size_t DataLoader::bad_sample_count() const {
  return core_->scheduler().bad_sample_count();
}
std::vector<BadSample> DataLoader::bad_samples() const {
  return core_->scheduler().bad_samples();
}
std::vector<int> DataLoader::worker_pids() const {
  return core_->worker_pids();
}

}  // namespace leat
