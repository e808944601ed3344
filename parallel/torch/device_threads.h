/// \file
/// Threads that run LibTorch's operations for one device each; used by parallel_apply(), DataParallel and Pipeline.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/autocast_mode.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat::torch::detail {

// Returns the devices with their numbers: "cuda" is the current GPU, and "cpu:0" the CPU.
inline std::vector<::at::Device> numbered(std::vector<::at::Device> devices) {
  for (::at::Device& each : devices) {
    if (each.is_cpu()) {
      each = ::at::Device(::at::kCPU);
    } else if (!each.has_index()) {
      each = ::c10::impl::VirtualGuardImpl(each.type()).getDevice();
    }
  }
  return devices;
}

// The text of an exception, without the stack that LibTorch's errors carry.
inline std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ::c10::Error& thrown) {
    return thrown.what_without_backtrace();
  } catch (const std::exception& thrown) {
    return describe(thrown);
  } catch (...) {
    return "an exception that is not derived from std::exception";
  }
}

// The types of autocast have other functions in LibTorch 2.4, which deprecates those of 1.13.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// What LibTorch keeps for each thread, taken over from the thread that makes the object: grad mode, inference mode,
// autocast, profilers, and the current streams of the devices.
class ThreadState {
 public:
  explicit ThreadState(const std::vector<::at::Device>& devices) {
    for (const ::at::Device& each : devices) {
      if (!each.is_cpu()) streams_.push_back(::c10::impl::VirtualGuardImpl(each.type()).getStream(each));
    }
  }

  // Runs `work` on the calling thread with this state, and with `device` as the current one.
  template <class Work>
  void run(::at::Device device, Work&& work) const {
    const ::at::ThreadLocalStateGuard guard(state_);
    ::at::autocast::set_autocast_cpu_dtype(autocast_on_cpu_);
    ::at::autocast::set_autocast_gpu_dtype(autocast_on_gpu_);
    for (const ::c10::Stream& each : streams_)
      ::c10::impl::VirtualGuardImpl(each.device_type()).exchangeStream(each);
    if (!device.is_cpu()) ::c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
    work();
  }

 private:
  ::at::ThreadLocalState state_{};
  ::at::ScalarType autocast_on_cpu_ = ::at::autocast::get_autocast_cpu_dtype();
  ::at::ScalarType autocast_on_gpu_ = ::at::autocast::get_autocast_gpu_dtype();
  std::vector<::c10::Stream> streams_{};
};

#pragma GCC diagnostic pop

// One thread per device, which live as long as the object. Signals of the process go to other threads.
//
// One thread at a time calls run(). In a process that was forked from the one that made the object, run() throws, and
// the object can be destroyed.
class DeviceThreads {
 public:
  // Thread i works for devices[i]. Threads of the CPU run operations on `intra_op_threads` of LibTorch's threads each;
  // with 0, they share the number that the calling thread has. This is a setting of these threads alone.
  DeviceThreads(std::string name, std::vector<::at::Device> devices, int intra_op_threads)
      : state_(std::make_unique<State>()) {
    if (intra_op_threads < 0)
      throw ArgumentError(name + ": intra_op_threads is " + std::to_string(intra_op_threads));
    state_->name = std::move(name);
    state_->devices = std::move(devices);
    const auto on_cpu =
        std::ranges::count_if(state_->devices, [](const auto& each) { return each.is_cpu(); });
    state_->intra_op_threads = intra_op_threads;
    if (intra_op_threads == 0 && on_cpu > 0)
      state_->intra_op_threads = std::max(1, ::at::get_num_threads() / static_cast<int>(on_cpu));
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (std::size_t i = 0; i < state_->devices.size(); ++i)
        threads_.emplace_back(&State::serve, state_.get(), i);
    } catch (const std::exception& error) {
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      end();
      throw Error(state_->name + ": no thread can be started: " + error.what());
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;
  ~DeviceThreads() { end(); }

  // Runs work(i) on threads i = 0, 1, ..., count - 1, in the caller's ThreadState. Returns when all have ended, with
  // what each has thrown, null for nothing.
  std::vector<std::exception_ptr> run(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (::getpid() != process_)
      throw Error(state_->name + ": was made before this process was forked, and has no threads in it");
    const ThreadState caller(state_->devices);
    std::unique_lock lock(state_->mutex);
    if (state_->work != nullptr)
      throw ArgumentError(state_->name + ": is called by two threads at once, or by itself");
    state_->errors.assign(state_->devices.size(), nullptr);
    state_->work = &work;
    state_->caller = &caller;
    state_->count = state_->running = count;
    ++state_->round;
    state_->wanted.notify_all();
    state_->done.wait(lock, [&] { return state_->running == 0; });
    state_->work = nullptr;
    return std::move(state_->errors);
  }

 private:
  struct State {
    void serve(std::size_t i) {
      ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
      if (devices[i].is_cpu()) limit_threads(intra_op_threads);
      std::unique_lock lock(mutex);
      for (std::uint64_t seen = 0;;) {
        wanted.wait(lock, [&] { return is_ending || round != seen; });
        if (is_ending) return;
        seen = round;
        if (i >= count) continue;
        lock.unlock();
        std::exception_ptr error;
        try {
          caller->run(devices[i], [&] { (*work)(i); });
        } catch (...) {
          error = std::current_exception();
        }
        ::at::autocast::
            clear_cache();  // which the end of the caller's autocast clears on the caller's thread alone
        lock.lock();
        errors[i] = std::move(error);
        if (--running == 0) done.notify_all();
      }
    }

    // Constant once the threads run.
    std::string name{};
    std::vector<::at::Device> devices{};
    int intra_op_threads = 0;
    // Guarded by the mutex; what is referred to is constant in a round.
    std::mutex mutex{};
    std::condition_variable wanted{}, done{};
    const std::function<void(std::size_t)>* work = nullptr;  // null between rounds
    const ThreadState* caller = nullptr;
    std::vector<std::exception_ptr> errors{};
    std::size_t count = 0, running = 0;  // threads of this round, and those that have not ended it
    std::uint64_t round = 0;
    bool is_ending = false;
  };

  // Sets the number of OpenMP's threads for the calling thread. at::set_num_threads() would set it for all threads that
  // the process starts later.
  static void limit_threads(int count) {
    ::at::get_num_threads();  // or LibTorch would set its own number at this thread's first operation
    using Setter = void (*)(int);
    const auto set = reinterpret_cast<Setter>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (set != nullptr) set(count);
  }

  void end() noexcept {
    if (::getpid() !=
        process_) {  // the threads are not here, and a condition variable that they wait for cannot be
      for (std::thread& each : threads_) each.detach();  // destroyed
      static_cast<void>(state_.release());
      return;
    }
    {
      const std::lock_guard lock(state_->mutex);
      state_->is_ending = true;
    }
    state_->wanted.notify_all();
    for (std::thread& each : threads_) each.join();
  }

  const pid_t process_ = ::getpid();
  std::unique_ptr<State> state_;
  std::vector<std::thread> threads_{};
};

// Returns the index of the first error, or the number of errors if all are null.
inline std::size_t first_error(const std::vector<std::exception_ptr>& errors) {
  const auto found = std::ranges::find_if(errors, [](const auto& each) { return each != nullptr; });
  return static_cast<std::size_t>(found - errors.begin());
}

}  // namespace leat::torch::detail
