#include "leat/loader/data_loader.h"

#include <utility>

#include "leat/datasets/base/process_identity.h"
#include "leat/loader/engine/loader_core.h"

namespace leat {

using namespace detail;

DataLoader::DataLoader(const Dataset& dataset, DataLoaderOptions options)
    : core_(make_process_owned<LoaderCore>(dataset, std::move(options))) {}
DataLoader::DataLoader(DataLoader&&) noexcept = default;
DataLoader& DataLoader::operator=(DataLoader&&) noexcept = default;
DataLoader::~DataLoader() = default;

std::size_t DataLoader::size() const {
  return core().batches();
}
std::optional<HostBatch> DataLoader::next() {
  return core().next();
}
void DataLoader::start_epoch(std::uint64_t epoch) {
  core().start_epoch(epoch);
}

LoaderState DataLoader::state() const {
  return core().state();
}
void DataLoader::restore(const LoaderState& state) {
  core().restore(state);
}

LoaderStats DataLoader::stats() const {
  return core().stats();
}

LoaderCore& DataLoader::core() const {
  if (!core_) throw ArgumentError("this loader was moved from, so it can only be assigned to or destroyed");
  return *core_;
}

// The range refers to the LoaderCore, whose address stays the same when the loader is moved.
BatchRange<HostBatch> DataLoader::rest(SampleErrorHandler on_error) {
  return BatchRange<HostBatch>([&core = core()] { return core.next(); }, std::move(on_error));
}
BatchRange<HostBatch> DataLoader::epoch(std::uint64_t epoch, SampleErrorHandler on_error) {
  start_epoch(epoch);
  return rest(std::move(on_error));
}

SlotMemory DataLoader::slots() const {
  return {core().scheduler().table().slot_memory(), layout().bytes(), core().scheduler().table().slots()};
}
std::shared_ptr<const void> DataLoader::slot_keeper() const {
  return core().keeper();
}
const BatchLayout& DataLoader::layout() const {
  return core().scheduler().table().layout();
}
const DataLoaderOptions& DataLoader::options() const {
  return core().options();
}
std::size_t DataLoader::bad_sample_count() const {
  return core().scheduler().bad_sample_count();
}
std::vector<BadSample> DataLoader::bad_samples() const {
  return core().scheduler().bad_samples();
}
std::vector<int> DataLoader::worker_pids() const {
  return core().worker_pids();
}

}  // namespace leat
