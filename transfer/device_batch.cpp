#include "leat/transfer/device_batch.h"

#include <atomic>
#include <utility>

#include "leat/transfer/prefetch/batch_pool.h"

namespace leat {

using namespace detail;

namespace {

// A number of the calling thread that no other thread of the process has or will have. (A std::thread::id may come
// back after its thread has ended.)
std::uint64_t thread_number() noexcept {
  static std::atomic<std::uint64_t> next = 0;
  static thread_local const std::uint64_t number = next++;
  return number;
}

}  // namespace

DeviceBatch::DeviceBatch(std::shared_ptr<BatchPool> pool, std::size_t buffer, std::size_t part,
                         StreamRef consumer) noexcept
    : pool_(std::move(pool)), buffer_(buffer), part_(part), consumer_(consumer), thread_(thread_number()) {}

DeviceBatch& DeviceBatch::operator=(DeviceBatch&& other) noexcept {
  if (this == &other) return *this;
  release();
  pool_ = std::move(other.pool_);
  buffer_ = other.buffer_;
  part_ = other.part_;
  consumer_ = other.consumer_;
  thread_ = other.thread_;
  return *this;
}

DeviceBatch::~DeviceBatch() {
  release();
}

void DeviceBatch::release() noexcept {
  if (pool_ == nullptr) return;
  const bool is_own_thread = thread_number() == thread_;
  pool_->release(buffer_, part_, is_own_thread ? consumer_ : consumer_.device().for_other_threads(consumer_));
  pool_.reset();
}

std::size_t DeviceBatch::size() const noexcept {
  return rows().size();
}

RowRange DeviceBatch::rows() const noexcept {
  return (*pool_)[buffer_].parts[part_].extent.rows;
}

std::size_t DeviceBatch::batch_size() const noexcept {
  return (*pool_)[buffer_].parts[part_].extent.batch_rows;
}

std::uint64_t DeviceBatch::epoch() const noexcept {
  return (*pool_)[buffer_].epoch;
}

std::uint64_t DeviceBatch::number() const noexcept {
  return (*pool_)[buffer_].number;
}

std::span<const std::uint64_t> DeviceBatch::indices() const noexcept {
  return std::span((*pool_)[buffer_].indices).subspan(rows().first, size());
}

const LoaderState& DeviceBatch::loader_state() const noexcept {
  return (*pool_)[buffer_].state;
}

TensorView DeviceBatch::operator[](std::string_view name) const {
  const BatchPool::Part& part = (*pool_)[buffer_].parts[part_];
  return pool_->division().layout(part_).fixed(name).view(part.buffer(), part.extent);
}

TensorView DeviceBatch::ragged_values(std::string_view field) const {
  const BatchPool::Part& part = (*pool_)[buffer_].parts[part_];
  return pool_->division().layout(part_).ragged(field).view(part.buffer(), part.extent);
}

TensorView DeviceBatch::ragged_offsets(std::string_view field) const {
  const BatchPool::Part& part = (*pool_)[buffer_].parts[part_];
  return pool_->division().layout(part_).ragged(field).row_offsets(part.buffer(), part.extent);
}

}  // namespace leat
