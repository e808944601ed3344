#include "leat/transfer/cuda/host_signals.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "leat/transfer/device.h"

namespace leat::detail::cuda {
namespace {

constexpr std::size_t kWords = 1024;             // of a page
constexpr unsigned kVersionOfWaitValue = 11070;  // whose form needs no setting of the driver's

}  // namespace

std::unique_ptr<HostSignals::Signal> HostSignals::make() {
  wait_value();  // first: without it, a signal is of no use
  const std::lock_guard lock(mutex_);
  if (first_ == nullptr) add_words();
  auto signal = std::make_unique<Signal>(*this, *first_);
  first_ = first_->next;
  return signal;
}

void HostSignals::make_wait(cudaStream_t stream, const Signal& signal) {
  const CUresult result =
      wait_value()(stream, signal.word_.address, signal.number_, CU_STREAM_WAIT_VALUE_GEQ);
  // The runtime's errors have the driver's numbers.
  check(static_cast<cudaError_t>(result), device_, "cuStreamWaitValue32");
}

HostSignals::WaitValue& HostSignals::wait_value() {
  if (WaitValue* const known = wait_value_.load()) return *known;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &function, kVersionOfWaitValue,
                                         cudaEnableDefault, &found),
        device_, "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    throw DeviceError(
        fmt::format("{}: a stream cannot wait for an event of the CPU, because the driver has no "
                    "cuStreamWaitValue32; drivers for CUDA 11.7 and later have it",
                    device_));
  }
  auto* const known = reinterpret_cast<WaitValue*>(function);
  wait_value_ = known;
  return *known;
}

void HostSignals::add_words() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, kWords * sizeof(std::uint32_t), cudaHostAllocPortable | cudaHostAllocMapped),
        device_, "cudaHostAlloc", kWords * sizeof(std::uint32_t));
  std::unique_ptr<std::uint32_t, FreePinned> page(static_cast<std::uint32_t*>(memory));
  void* address = nullptr;
  check(cudaHostGetDevicePointer(&address, memory, 0), device_, "cudaHostGetDevicePointer");
  std::memset(memory, 0, kWords * sizeof(std::uint32_t));
  pages_.push_back(std::move(page));
  for (std::size_t i = 0; i < kWords; ++i) {
    append(words_.emplace_back(Word{.host = pages_.back().get() + i,
                                    .address = reinterpret_cast<CUdeviceptr>(address) +
                                               static_cast<CUdeviceptr>(i * sizeof(std::uint32_t))}));
  }
}

void HostSignals::append(Word& word) noexcept {
  word.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &word;
  last_ = &word;
}

void HostSignals::give_back(Word& word) noexcept {
  const std::lock_guard lock(mutex_);
  append(word);
}

void HostSignals::Signal::send() noexcept {
  if (is_sent_.exchange(true)) return;
  word_.signals = number_;
  // Release: a device that sees the number sees what this thread wrote before.
  std::atomic_ref(*word_.host).store(number_, std::memory_order_release);
  owner_.give_back(word_);
}

}  // namespace leat::detail::cuda
