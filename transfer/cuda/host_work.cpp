#include "leat/transfer/cuda/host_work.h"

#include <utility>

namespace leat::detail::cuda {
namespace {

using Closure = std::function<void()>;

// Takes ownership of the closure. It runs once, or is leaked if the context is lost.
void CUDART_CB run_closure(void* argument) {
  const std::unique_ptr<Closure> closure(static_cast<Closure*>(argument));
  (*closure)();
}

// `closure` must not throw.
cudaError_t launch(cudaStream_t stream, Closure closure) {
  auto* const queued = new Closure(std::move(closure));
  const cudaError_t status = cudaLaunchHostFunc(stream, run_closure, queued);
  if (status != cudaSuccess) delete queued;
  return status;
}

void run_guarded(const Closure& work, FailureSlot& slot) noexcept {
  if (slot.get()) return;
  try {
    work();
  } catch (...) {
    slot.set(std::current_exception());
  }
}

unsigned long long id_of(cudaStream_t stream) noexcept {
  unsigned long long id = 0;
  cudaStreamGetId(stream, &id);  // fails only for an invalid handle, which the next call reports
  return id;
}

}  // namespace

void FailureSlot::set(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

std::exception_ptr FailureSlot::get() const noexcept {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void FailureSlot::rethrow() const {
  if (const std::exception_ptr failure = get()) std::rethrow_exception(failure);
}

cudaError_t HostWork::enqueue(cudaStream_t stream, std::function<void()> work) {
  return launch(stream, [slot = find_or_make(stream), work = std::move(work)] { run_guarded(work, *slot); });
}

cudaError_t HostWork::carry(cudaStream_t stream, std::shared_ptr<FailureSlot>& carried) {
  carried.reset();
  const auto slot = find(stream);
  if (slot == nullptr) return cudaSuccess;
  carried = std::make_shared<FailureSlot>();
  return launch(stream, [slot, carried] { carried->set(slot->get()); });
}

cudaError_t HostWork::take_over(cudaStream_t stream, std::shared_ptr<FailureSlot> carried) {
  return launch(stream,
                [slot = find_or_make(stream), carried = std::move(carried)] { slot->set(carried->get()); });
}

void HostWork::rethrow(cudaStream_t stream) const {
  if (const auto slot = find(stream)) slot->rethrow();
}

void HostWork::forget(cudaStream_t stream) noexcept {
  const unsigned long long id = id_of(stream);
  const std::lock_guard lock(mutex_);
  slots_.erase(id);
}

std::shared_ptr<FailureSlot> HostWork::find(cudaStream_t stream) const {
  const std::lock_guard lock(mutex_);
  if (slots_.empty()) return nullptr;
  const auto found = slots_.find(id_of(stream));
  return found == slots_.end() ? nullptr : found->second;
}

std::shared_ptr<FailureSlot> HostWork::find_or_make(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  auto& slot = slots_[id_of(stream)];
  if (slot == nullptr) slot = std::make_shared<FailureSlot>();
  return slot;
}

}  // namespace leat::detail::cuda
