// Signals of the host that streams of a GPU wait for.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "leat/transfer/cuda/check.h"

namespace leat::detail::cuda {

// CUDA has no event that the host can pass. So a stream waits for a word in page-locked memory, by cuStreamWaitValue32,
// which is an operation of the stream: it needs no thread, no kernel and no host function. It is a function of the
// driver's, which is asked for it at run time, so that libcuda need not be linked.
//
// CUDA does not see what such a wait depends on, and streams may share a queue of the hardware. This cannot block: leat
// makes a stream wait only for marks whose own dependencies were enqueued earlier, and so lie ahead in each queue.
//
// Threads: any thread may call any member.
// Invariants:
//  1. A word only grows, by one for each signal. A stream waits until the word is at least the signal's number
//     (cyclic), so a word may serve its next signal as soon as this one was sent, though the stream has not looked at
//     it yet.
//  2. Words are used in turn. So before a comparison could err, a stream would have to lag behind by 2^31 signals,
//     times the number of words.
class HostSignals {
 public:
  class Signal;

  // `device` is the device's name, which outlives this object.
  explicit HostSignals(const std::string& device) noexcept : device_(device) {}
  HostSignals(const HostSignals&) = delete;
  HostSignals& operator=(const HostSignals&) = delete;

  // Makes a signal. The first one allocates page-locked memory. The members throw DeviceError, which names the device,
  // if a call of CUDA fails or the driver lacks the operation. The device must be current.
  std::unique_ptr<Signal> make();
  // Makes the stream wait until the signal is sent.
  void make_wait(cudaStream_t stream, const Signal& signal);

 private:
  struct FreePinned {
    void operator()(std::uint32_t* memory) const noexcept { clear(cudaFreeHost(memory)); }
  };
  struct Word {
    std::uint32_t* host = nullptr;
    CUdeviceptr address = 0;  // the same word for the device
    std::uint32_t signals = 0;
    Word* next = nullptr;  // that is not in use either
  };
  using WaitValue = CUresult(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags);

  WaitValue& wait_value();
  void add_words();
  void append(Word& word) noexcept;
  void give_back(Word& word) noexcept;

  const std::string& device_;
  std::atomic<WaitValue*> wait_value_{nullptr};  // null: the driver was not asked for it

  std::mutex mutex_;  // guards the following
  std::vector<std::unique_ptr<std::uint32_t, FreePinned>> pages_;
  std::deque<Word> words_;  // all of them
  Word* first_ = nullptr;   // of those that are not in use
  Word* last_ = nullptr;
};

// Must not outlive the HostSignals.
class HostSignals::Signal {
 public:
  Signal(HostSignals& owner, Word& word) noexcept : owner_(owner), word_(word), number_(word.signals + 1) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  ~Signal() { send(); }

  // Lets the streams go on that wait. The first call counts.
  void send() noexcept;

 private:
  friend class HostSignals;
  HostSignals& owner_;
  Word& word_;  // of no other signal until this one is sent
  const std::uint32_t number_;
  std::atomic<bool> is_sent_{false};
};

}  // namespace leat::detail::cuda
