#include "leat/parallel/gradient_reducer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "leat/parallel/gradient_clipping.h"
#include "leat/parallel/host/reduce_kernels.h"
#include "leat/parallel/loss_scaler.h"
#include "leat/parallel/reduce/bucket_exchange.h"
#include "leat/parallel/reduce/bucket_layout.h"
#include "leat/parallel/reduce/bucket_schedule.h"
#include "leat/parallel/reduce/parameter_agreement.h"

namespace leat {

using namespace detail;

namespace {

struct BucketCaps {  // in bytes
  std::size_t first = 0;
  std::size_t others = 0;
};

std::size_t bytes_of(double mebibytes, const char* option) {
  if (!std::isfinite(mebibytes) || mebibytes <= 0 || mebibytes > 1024 * 1024) {
    throw ArgumentError(
        fmt::format("{} is {}; it must be above 0 and at most 1048576 MiB", option, mebibytes));
  }
  return static_cast<std::size_t>(std::ceil(mebibytes * 1024 * 1024));
}

BucketLayout lay_out(const std::vector<Parameter>& parameters, std::span<const std::size_t> order,
                     const BucketCaps& caps) {
  std::vector<GradientSize> sizes;
  sizes.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    sizes.push_back({.dtype = parameter.value.dtype, .count = parameter.value.count()});
  }
  return lay_out_buckets(sizes, order, caps.first, caps.others);
}

TensorSpan flat(const TensorView& view) {
  return {.data = view.data, .count = view.count(), .dtype = view.dtype};
}

}  // namespace

double exact_loss_weight(std::size_t local_rows, std::size_t global_rows) {
  if (global_rows == 0 || local_rows > global_rows) {
    throw ArgumentError(fmt::format("{} local rows of {} in the global batch", local_rows, global_rows));
  }
  return static_cast<double>(local_rows) / static_cast<double>(global_rows);
}

double per_rank_loss_weight(int ranks) {
  if (ranks < 1) throw ArgumentError(fmt::format("there are no {} ranks", ranks));
  return 1.0 / ranks;
}

class GradientReducer::Impl {
 public:
  Impl(Communicator& communicator, std::vector<Parameter> parameters, const ReducerOptions& options);

  std::size_t size() const noexcept { return parameters_.size(); }
  std::size_t bucket_count() const noexcept { return layout_.buckets.size(); }
  const TensorView& gradient(std::size_t i) const;
  void mark_ready(std::size_t i, StreamRef stream);
  void mark_ready(std::size_t i);
  bool is_ready(std::size_t i) const;
  bool in_pass() const noexcept { return !schedule_.untouched(); }
  std::size_t global_rows(std::size_t local_rows);
  void mark_rest_ready(StreamRef stream);
  void zero_unready(StreamRef stream);
  void finish(StreamRef stream);
  PassOutcome finish_together(StreamRef stream, bool abandon);
  double clip_gradient_norm(double max_norm, StreamRef stream, bool error_if_nonfinite);
  bool unscale(double scale, StreamRef stream);
  bool agree_on_overflow(bool overflow, double scale);
  bool reorder_buckets(StreamRef stream);

 private:
  // Small numbers that the ranks reduce between passes, and wait for.
  using Numbers = std::array<std::int64_t, 3>;

  struct Mark {  // the point that a stream must reach for the bucket's gradients
    StreamRef stream;
    Event event;
  };

  void check_parameters() const;
  void adopt_gradients();
  void launch(std::size_t bucket);
  void launch(const BucketSchedule::Launch& launches);
  void set_all_to_zero(StreamRef stream);
  void reduce_numbers(ReduceOp op);
  void end_pass();
  void share_order();
  void move_gradients(BucketLayout layout);
  std::vector<TensorView> reduced_gradients(const char* caller, StreamRef stream) const;
  bool in_buffer(std::size_t i) const;
  std::size_t flag_bytes() const noexcept { return (size() + 1) * sizeof(std::int32_t); }
  std::byte* place_in_buffer(std::size_t i) const { return gradient_buffer_.data() + layout_.offset_of[i]; }

  Communicator& communicator_;
  Device& device_;
  std::vector<Parameter> parameters_;
  const BucketCaps caps_;
  std::vector<std::size_t> order_;  // in which gradients are laid out
  std::vector<std::size_t>
      ready_order_;  // in which they became ready in the last pass; empty before the first one
  BucketLayout layout_;
  BucketSchedule schedule_;
  BucketExchange exchange_;
  CommunicationBuffer gradient_buffer_;   // allocated when the ranks agree on its size
  std::vector<std::vector<Mark>> marks_;  // for each bucket, one for each stream that marked; reused
  DeviceBuffer flags_;                    // of finish_together() and reduce_numbers()
  std::vector<std::int32_t> host_flags_;  // a rank that gives up, plus 1, and whether each gradient is marked
  Numbers numbers_{};
  Event finished_;
  Stream stream_;  // runs the reductions; last, so that it is destroyed first, and waits
};

GradientReducer::Impl::Impl(Communicator& communicator, std::vector<Parameter> parameters,
                            const ReducerOptions& options)
    : communicator_(communicator),
      device_(communicator.device()),
      parameters_(std::move(parameters)),
      caps_{.first = bytes_of(options.first_bucket_mb, "first_bucket_mb"),
            .others = bytes_of(options.bucket_cap_mb, "bucket_cap_mb")},
      order_(reverse_order(size())),
      layout_(lay_out(parameters_, order_, caps_)),
      schedule_(layout_.bucket_of),
      exchange_(communicator, options),
      marks_(layout_.buckets.size()),
      flags_(device_.allocate(std::max(flag_bytes(), sizeof(Numbers)))),
      host_flags_(size() + 1),
      finished_(device_.make_event()),
      stream_(device_.make_stream()) {
  check_parameters();
  require_same_parameters(communicator_, parameters_, stream_);
  gradient_buffer_ = communicator_.allocate(std::max<std::size_t>(layout_.bytes, 1));
  exchange_.lay_out(layout_);
  adopt_gradients();
  for (const Parameter& parameter : parameters_) communicator_.broadcast(flat(parameter.value), 0, stream_);
  device_.synchronize(stream_.ref());
}

void GradientReducer::Impl::check_parameters() const {
  for (const Parameter& parameter : parameters_) {
    const TensorView& value = parameter.value;
    const TensorView& gradient = parameter.gradient;
    if (value.data == nullptr && value.count() > 0) {
      throw ArgumentError(fmt::format("parameter \"{}\" has no memory", parameter.name));
    }
    if (!is_reducible(value.dtype, ReduceOp::sum)) {
      throw ArgumentError(fmt::format("parameter \"{}\" is {}, which cannot be reduced", parameter.name,
                                      name_of(value.dtype)));
    }
    if (gradient.data != nullptr && (gradient.dtype != value.dtype || gradient.shape != value.shape)) {
      throw ArgumentError(fmt::format("parameter \"{}\" is {} {}, but its gradient is {} {}", parameter.name,
                                      name_of(value.dtype), to_string(value.shape), name_of(gradient.dtype),
                                      to_string(gradient.shape)));
    }
  }
}

void GradientReducer::Impl::adopt_gradients() {
  device_.fill_zero(gradient_buffer_.data(), gradient_buffer_.size(), stream_);
  for (std::size_t i = 0; i < size(); ++i) {
    TensorView& gradient = parameters_[i].gradient;
    if (gradient.data != nullptr) continue;
    gradient = parameters_[i].value;
    gradient.data = place_in_buffer(i);
  }
}

const TensorView& GradientReducer::Impl::gradient(std::size_t i) const {
  if (i >= size()) throw ArgumentError(fmt::format("gradient {} does not exist; there are {}", i, size()));
  return parameters_[i].gradient;
}

bool GradientReducer::Impl::in_buffer(std::size_t i) const {
  return parameters_[i].gradient.data == place_in_buffer(i);
}

void GradientReducer::Impl::mark_ready(std::size_t i, StreamRef stream) {
  const BucketSchedule::Launch launches = schedule_.mark_ready(i);
  auto& marks = marks_[layout_.bucket_of[i]];
  auto mark = std::find_if(marks.begin(), marks.end(), [&](const Mark& m) { return m.stream == stream; });
  if (mark == marks.end()) {
    marks.push_back({.stream = stream, .event = device_.make_event()});
    mark = marks.end() - 1;
  }
  device_.record(mark->event, stream);
  launch(launches);
}

void GradientReducer::Impl::mark_ready(std::size_t i) {
  if (device_.kind() != DeviceKind::host) {
    throw ArgumentError(fmt::format("gradient {} is on {}: name the stream behind whose work it is complete",
                                    i, device_.name()));
  }
  launch(schedule_.mark_ready(i));
}

bool GradientReducer::Impl::is_ready(std::size_t i) const {
  gradient(i);  // throws if there is none
  return schedule_.is_ready(i);
}

std::size_t GradientReducer::Impl::global_rows(std::size_t local_rows) {
  numbers_ = {static_cast<std::int64_t>(local_rows)};
  reduce_numbers(ReduceOp::sum);
  return static_cast<std::size_t>(numbers_[0]);
}

void GradientReducer::Impl::reduce_numbers(ReduceOp op) {
  device_.copy(flags_.data(), numbers_.data(), sizeof numbers_, stream_);
  communicator_.all_reduce({flags_.data(), numbers_.size(), DType::i64}, op, stream_);
  device_.copy(numbers_.data(), flags_.data(), sizeof numbers_, stream_);
  device_.synchronize(stream_.ref());
}

void GradientReducer::Impl::launch(const BucketSchedule::Launch& launches) {
  for (std::size_t bucket = launches.first; bucket < launches.last; ++bucket) launch(bucket);
}

void GradientReducer::Impl::launch(std::size_t index) {
  const Bucket& bucket = layout_.buckets[index];
  for (const Mark& mark : marks_[index]) device_.wait(stream_, mark.event);
  for (const std::size_t i : bucket.parameters) {
    if (!in_buffer(i)) device_.copy(place_in_buffer(i), gradient(i).data, gradient(i).bytes(), stream_);
  }
  const TensorSpan span{.data = gradient_buffer_.data() + bucket.offset,
                        .count = bucket.bytes / size_of(bucket.dtype),
                        .dtype = bucket.dtype};
  exchange_.reduce(index, span, stream_);
  for (const std::size_t i : bucket.parameters) {
    if (!in_buffer(i)) device_.copy(gradient(i).data, place_in_buffer(i), gradient(i).bytes(), stream_);
  }
}

void GradientReducer::Impl::mark_rest_ready(StreamRef stream) {
  for (const std::size_t i : order_) {
    if (!schedule_.is_ready(i)) mark_ready(i, stream);
  }
}

void GradientReducer::Impl::zero_unready(StreamRef stream) {
  for (const std::size_t i : schedule_.missing()) {
    device_.fill_zero(gradient(i).data, gradient(i).bytes(), stream);
  }
  mark_rest_ready(stream);
}

void GradientReducer::Impl::finish(StreamRef stream) {
  if (!schedule_.complete()) {
    constexpr std::size_t kShown = 5;
    const std::vector<std::size_t> missing = schedule_.missing();
    std::vector<std::string> names;
    for (const std::size_t i : missing) {
      if (names.size() < kShown) names.push_back(parameters_[i].name);
    }
    throw ArgumentError(
        fmt::format("{} of {} gradients were never ready: {}{}; call zero_unready() where parameters take no "
                    "part in a backward pass",
                    missing.size(), size(), fmt::join(names, ", "), missing.size() > kShown ? ", ..." : ""));
  }
  communicator_.throw_if_failed();
  device_.record(finished_, stream_);
  device_.wait(stream, finished_);
  end_pass();
}

void GradientReducer::Impl::end_pass() {
  ready_order_ = schedule_.order();
  schedule_.reset();
}

PassOutcome GradientReducer::Impl::finish_together(StreamRef stream, bool abandon) {
  host_flags_[0] = abandon ? communicator_.rank() + 1 : 0;
  for (std::size_t i = 0; i < size(); ++i) host_flags_[i + 1] = schedule_.is_ready(i) ? 1 : 0;
  zero_unready(stream);
  device_.copy(flags_.data(), host_flags_.data(), flag_bytes(), stream_);
  communicator_.all_reduce({flags_.data(), host_flags_.size(), DType::i32}, ReduceOp::max, stream_);
  device_.copy(host_flags_.data(), flags_.data(), flag_bytes(), stream_);
  end_pass();
  device_.synchronize(stream_.ref());  // `stream` need not wait then
  PassOutcome outcome{.used = std::vector<bool>(host_flags_.begin() + 1, host_flags_.end()),
                      .abandoned_by = host_flags_[0] - 1};
  if (outcome.abandoned_by >= 0) set_all_to_zero(stream);
  return outcome;
}

void GradientReducer::Impl::set_all_to_zero(StreamRef stream) {
  for (const Parameter& parameter : parameters_)
    device_.fill_zero(parameter.gradient.data, parameter.gradient.bytes(), stream);
  device_.synchronize(stream);
}

// Returns the gradients, for work on the host between two passes. Waits until `stream` has the sums.
std::vector<TensorView> GradientReducer::Impl::reduced_gradients(const char* caller, StreamRef stream) const {
  if (device_.kind() != DeviceKind::host) {
    throw ArgumentError(
        fmt::format("{}() is for the host device; these gradients are on {}", caller, device_.name()));
  }
  if (in_pass()) throw ArgumentError(fmt::format("{}() was called before the end of a pass", caller));
  device_.synchronize(stream);
  std::vector<TensorView> gradients;
  gradients.reserve(size());
  for (const Parameter& parameter : parameters_) gradients.push_back(parameter.gradient);
  return gradients;
}

double GradientReducer::Impl::clip_gradient_norm(double max_norm, StreamRef stream, bool error_if_nonfinite) {
  return leat::clip_gradient_norm(reduced_gradients("clip_gradient_norm", stream), max_norm,
                                  error_if_nonfinite);
}

bool GradientReducer::Impl::reorder_buckets(StreamRef stream) {
  if (in_pass()) throw ArgumentError("reorder_buckets() was called before the end of a pass");
  if (ready_order_.size() != size())
    throw ArgumentError("reorder_buckets() was called before the first pass");
  if (device_.is_capturing(stream))
    throw ArgumentError("reorder_buckets() was called while a stream is captured");
  if (size() == 0) return false;
  device_.synchronize(stream);
  share_order();
  if (ready_order_ == order_) return false;
  move_gradients(lay_out(parameters_, ready_order_, caps_));
  order_ = ready_order_;
  return true;
}

// Makes rank 0's order that of all ranks.
void GradientReducer::Impl::share_order() {
  std::vector<std::int64_t> order(ready_order_.begin(), ready_order_.end());
  const DeviceBuffer buffer = device_.allocate(order.size() * sizeof(std::int64_t));
  device_.copy(buffer.data(), order.data(), buffer.size(), stream_);
  communicator_.broadcast({buffer.data(), order.size(), DType::i64}, 0, stream_);
  device_.copy(order.data(), buffer.data(), buffer.size(), stream_);
  device_.synchronize(stream_.ref());
  ready_order_.assign(order.begin(), order.end());
}

// Moves gradients from the reducer's memory of the old layout to new memory.
void GradientReducer::Impl::move_gradients(BucketLayout layout) {
  std::vector<bool> moves(size());
  for (std::size_t i = 0; i < size(); ++i) moves[i] = in_buffer(i);
  CommunicationBuffer memory = communicator_.allocate(std::max<std::size_t>(layout.bytes, 1));
  exchange_.lay_out(layout);
  const CommunicationBuffer old = std::exchange(gradient_buffer_, std::move(memory));
  layout_ = std::move(layout);
  schedule_ = BucketSchedule(layout_.bucket_of);
  marks_.clear();
  marks_.resize(layout_.buckets.size());
  device_.fill_zero(gradient_buffer_.data(), gradient_buffer_.size(), stream_);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!moves[i]) continue;
    void* const from = std::exchange(parameters_[i].gradient.data, place_in_buffer(i));
    device_.copy(parameters_[i].gradient.data, from, parameters_[i].gradient.bytes(), stream_);
  }
  device_.synchronize(stream_.ref());
}

bool GradientReducer::Impl::unscale(double scale, StreamRef stream) {
  return agree_on_overflow(unscale_gradients(reduced_gradients("unscale", stream), scale), scale);
}

bool GradientReducer::Impl::agree_on_overflow(bool overflow, double scale) {
  // The bits of positive numbers have the order of the numbers, and ~ reverses it.
  const auto bits = std::bit_cast<std::int64_t>(scale);
  numbers_ = {overflow ? 1 : 0, bits, ~bits};
  reduce_numbers(ReduceOp::max);
  if (numbers_[1] != ~numbers_[2]) {
    throw CommunicationError(fmt::format("the ranks scale their losses differently, by {} to {}",
                                         std::bit_cast<double>(~numbers_[2]),
                                         std::bit_cast<double>(numbers_[1])));
  }
  return numbers_[0] != 0;
}

GradientReducer::GradientReducer(Communicator& communicator, std::vector<Parameter> parameters,
                                 const ReducerOptions& options)
    : impl_(std::make_unique<Impl>(communicator, std::move(parameters), options)) {}
GradientReducer::~GradientReducer() = default;
GradientReducer::GradientReducer(GradientReducer&&) noexcept = default;
GradientReducer& GradientReducer::operator=(GradientReducer&&) noexcept = default;

std::size_t GradientReducer::size() const noexcept {
  return impl_->size();
}
std::size_t GradientReducer::bucket_count() const noexcept {
  return impl_->bucket_count();
}
const TensorView& GradientReducer::gradient(std::size_t i) const {
  return impl_->gradient(i);
}
void GradientReducer::mark_ready(std::size_t i, StreamRef stream) {
  impl_->mark_ready(i, stream);
}
void GradientReducer::mark_ready(std::size_t i) {
  impl_->mark_ready(i);
}
bool GradientReducer::is_ready(std::size_t i) const {
  return impl_->is_ready(i);
}
bool GradientReducer::in_pass() const noexcept {
  return impl_->in_pass();
}
std::size_t GradientReducer::global_rows(std::size_t local_rows) {
  return impl_->global_rows(local_rows);
}
void GradientReducer::mark_rest_ready(StreamRef stream) {
  impl_->mark_rest_ready(stream);
}
void GradientReducer::zero_unready(StreamRef stream) {
  impl_->zero_unready(stream);
}
void GradientReducer::finish(StreamRef stream) {
  impl_->finish(stream);
}
PassOutcome GradientReducer::finish_together(StreamRef stream, bool abandon) {
  return impl_->finish_together(stream, abandon);
}
bool GradientReducer::reorder_buckets(StreamRef stream) {
  return impl_->reorder_buckets(stream);
}
bool GradientReducer::unscale(double scale, StreamRef stream) {
  return impl_->unscale(scale, stream);
}
bool GradientReducer::agree_on_overflow(bool overflow, double scale) {
  return impl_->agree_on_overflow(overflow, scale);
}
double GradientReducer::clip_gradient_norm(double max_norm, StreamRef stream, bool error_if_nonfinite) {
  return impl_->clip_gradient_norm(max_norm, stream, error_if_nonfinite);
}

}  // namespace leat
