#include "leat/transfer/cuda/host_work.h"

#include <condition_variable>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/loader/os/service_thread.h"

namespace leat::detail::cuda {
namespace {

// A function that CUDA calls with its address. CUDA does not call it if the context is lost; then it is leaked.
struct Task {
  std::shared_ptr<FailureLog> log;
  std::uint64_t number = 0;  // in the log; 0: it was captured, and may run many times
  std::function<void()> work;
};

// A thread that destroys tasks. It starts with the first task and lives as long as the process.
class TaskDisposal {
 public:
  static TaskDisposal& get() {
    static auto* const disposal = new TaskDisposal;  // never destroyed: its thread uses it
    return *disposal;
  }
  void take(std::unique_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
  }

 private:
  TaskDisposal() {
    start_service_thread("leat-dispose", [this] { run(); }).detach();
  }
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      std::vector<std::unique_ptr<Task>> tasks = std::exchange(tasks_, {});
      lock.unlock();
      tasks.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Task>> tasks_;  // guarded by mutex_
};

std::exception_ptr run(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void CUDART_CB run_once(void* argument) {
  std::unique_ptr<Task> task(static_cast<Task*>(argument));
  const bool has_failed = task->log->failure_before(task->number - 1) != nullptr;
  task->log->end_work(task->number, has_failed ? nullptr : run(task->work));
  TaskDisposal::get().take(std::move(task));
}

void CUDART_CB run_captured(void* argument) {
  const Task& task = *static_cast<const Task*>(argument);
  if (task.log->failure() != nullptr) return;
  if (const std::exception_ptr failure = run(task.work)) task.log->fail(failure);
}

void CUDART_CB dispose(void* argument) {
  TaskDisposal::get().take(std::unique_ptr<Task>(static_cast<Task*>(argument)));
}

// Makes the graph that is being captured keep the task, as long as it or a graph made from it may be launched.
cudaError_t give_to(cudaGraph_t graph, std::unique_ptr<Task> task) {
  cudaUserObject_t object = nullptr;
  const cudaError_t made =
      cudaUserObjectCreate(&object, task.get(), dispose, 1, cudaUserObjectNoDestructorSync);
  if (made != cudaSuccess) return made;
  static_cast<void>(task.release());  // NOLINT(bugprone-unused-return-value): the object owns it
  const cudaError_t status = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  if (status != cudaSuccess) cudaUserObjectRelease(object, 1);
  return status;
}

unsigned long long id_of(cudaStream_t stream) noexcept {
  unsigned long long id = 0;
  cudaStreamGetId(stream, &id);  // fails only for an invalid handle, which the next call reports
  return id;
}

}  // namespace

cudaError_t HostWork::enqueue(cudaStream_t stream, std::function<void()> work) {
  TaskDisposal::get();  // starts its thread here, where an error can be told
  cudaStreamCaptureStatus capturing{};
  cudaGraph_t graph = nullptr;
  cudaError_t status = cudaStreamGetCaptureInfo(stream, &capturing, nullptr, &graph);
  if (status != cudaSuccess) return status;
  auto task = std::make_unique<Task>(Task{.log = find_or_make(stream), .work = std::move(work)});
  Task* const address = task.get();
  if (capturing == cudaStreamCaptureStatusActive) {
    status = give_to(graph, std::move(task));
    return status == cudaSuccess ? cudaLaunchHostFunc(stream, run_captured, address) : status;
  }
  task->number = task->log->add_work();
  status = cudaLaunchHostFunc(stream, run_once, address);
  if (status == cudaSuccess) {
    static_cast<void>(task.release());  // NOLINT(bugprone-unused-return-value): CUDA calls run_once()
  } else {
    task->log->take_back(task->number);
  }
  return status;
}

FailureMark HostWork::mark(cudaStream_t stream) {
  const auto log = find(stream);
  return log == nullptr ? FailureMark() : log->mark();
}

void HostWork::add_wait(cudaStream_t stream, const FailureMark& mark) {
  if (mark.log != nullptr) find_or_make(stream)->add_wait(mark);
}

std::exception_ptr HostWork::failure(cudaStream_t stream) const {
  const auto log = find(stream);
  return log == nullptr ? nullptr : log->failure();
}

void HostWork::forget(cudaStream_t stream) noexcept {
  const unsigned long long id = id_of(stream);
  const std::lock_guard lock(mutex_);
  logs_.erase(id);
}

std::shared_ptr<FailureLog> HostWork::find(cudaStream_t stream) const {
  const std::lock_guard lock(mutex_);
  if (logs_.empty()) return nullptr;
  const auto found = logs_.find(id_of(stream));
  return found == logs_.end() ? nullptr : found->second;
}

std::shared_ptr<FailureLog> HostWork::find_or_make(cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  auto& log = logs_[id_of(stream)];
  if (log == nullptr) log = std::make_shared<FailureLog>();
  return log;
}

}  // namespace leat::detail::cuda
