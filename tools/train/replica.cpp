#include "tools/train/replica.h"

namespace leat::tools {
namespace {

std::vector<Parameter> described(const ParameterSet& parameters) {
  std::vector<Parameter> described;
  for (const ModelParameter& each : parameters.all()) {
    described.push_back({.name = each.name,
                         .value = {each.value, DType::f32, each.shape},
                         .gradient = {nullptr, DType::f32, each.shape}});
  }
  return described;
}

}  // namespace

Replica::Replica(Device& device, std::unique_ptr<Communicator> communicator, const ClassifierShape& shape,
                 std::size_t max_rows, std::uint64_t seed)
    : device_(&device),
      communicator_(std::move(communicator)),
      classifier_(device, shape, max_rows, seed),
      totals_(device.allocate(kTotals * sizeof(double))),
      stream_(device.make_stream()) {
  if (communicator_) {
    reducer_.emplace(*communicator_, described(classifier_.parameters()));
    // Use the reducer's memory for the gradients, because it is reduced without a copy.
    for (std::size_t i = 0; i < reducer_->size(); ++i) {
      classifier_.parameters().set_gradient(i, static_cast<float*>(reducer_->gradient(i).data));
    }
  }
  device.fill_zero(totals_.data(), totals_.size(), stream_);
}

void Replica::train(const LabeledRows& batch, float scale, const SgdOptions& options) {
  reduce_gradients_of(batch, scale);
  classifier_.sgd_step(options, stream_);
  rows_ += batch.rows;
}

void Replica::reduce_gradients_of(const LabeledRows& batch, float scale) {
  const auto ready = [this](std::size_t i) {
    if (reducer_) reducer_->mark_ready(i, stream_);
  };
  if (batch.rows > 0) classifier_.train(batch, scale, totals(), ready, stream_);
  if (!reducer_) return;
  if (batch.rows == 0) reducer_->zero_unready(stream_);
  reducer_->finish(stream_);
}

void Replica::evaluate(const LabeledRows& batch) {
  classifier_.evaluate(batch, totals(), stream_);
  rows_ += batch.rows;
}

void Replica::start_totals() {
  host_totals_[2] = static_cast<double>(rows_);  // exact below 2^53
  rows_ = 0;
  device_->copy(totals() + 2, &host_totals_[2], sizeof(double), stream_);
  if (communicator_) communicator_->all_reduce({totals(), 3, DType::f64}, ReduceOp::sum, stream_);
  device_->copy(host_totals_.data(), totals(), totals_.size(), stream_);
  device_->fill_zero(totals_.data(), totals_.size(), stream_);
}

Totals Replica::finish_totals() {
  device_->synchronize(stream_.ref());
  return {host_totals_[0], static_cast<std::uint64_t>(host_totals_[1]),
          static_cast<std::uint64_t>(host_totals_[2])};
}

void Replica::abort(std::string_view why) noexcept {
  if (communicator_) communicator_->abort(why);
}

}  // namespace leat::tools
