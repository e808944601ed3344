#include "leat/transfer/cuda/host_work.h"

#include <condition_variable>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/loader/os/service_thread.h"
#include "leat/transfer/cuda/check.h"

namespace leat::detail::cuda {

// A function that CUDA calls with its address. CUDA does not call it if the context is lost; then it is leaked.
struct HostWork::Task {
  std::shared_ptr<FailureLog> log;
  std::uint64_t number = 0;  // in the log; 0: it was captured, and may run many times
  std::function<void()> work;
};

namespace {

using Task = HostWork::Task;

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
    const RelaxedCaptures relaxed;  // what is destroyed may call CUDA while other threads capture
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
  const bool has_failed = task->log->failure_before(task->number) != nullptr;
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

}  // namespace

void HostWork::enqueue(cudaStream_t stream, std::function<void()> work) {
  TaskDisposal::get();  // starts its thread here, where an error can be told
  cudaStreamCaptureStatus capturing{};
  cudaGraph_t graph = nullptr;
  check(cudaStreamGetCaptureInfo(stream, &capturing, nullptr, &graph), "cudaStreamGetCaptureInfo");
  auto task = std::make_unique<Task>(Task{.log = find_or_make(stream), .work = std::move(work)});
  Task* const address = task.get();
  if (capturing == cudaStreamCaptureStatusActive) {
    give_to(graph, std::move(task));
    check(cudaLaunchHostFunc(stream, run_captured, address), "cudaLaunchHostFunc");
    return;
  }
  task->number = task->log->add_work();
  const cudaError_t status = cudaLaunchHostFunc(stream, run_once, address);
  if (status == cudaSuccess) {
    static_cast<void>(task.release());  // NOLINT(bugprone-unused-return-value): CUDA calls run_once()
  } else {
    task->log->end_work(task->number, nullptr);
  }
  check(status, "cudaLaunchHostFunc");
}

// Makes the graph that is being captured keep the task, as long as it or a graph made from it may be launched.
void HostWork::give_to(cudaGraph_t graph, std::unique_ptr<Task> task) const {
  cudaUserObject_t object = nullptr;
  check(cudaUserObjectCreate(&object, task.get(), dispose, 1, cudaUserObjectNoDestructorSync),
        "cudaUserObjectCreate");
  static_cast<void>(task.release());  // NOLINT(bugprone-unused-return-value): the object owns it
  const cudaError_t status = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  if (status != cudaSuccess) cudaUserObjectRelease(object, 1);
  check(status, "cudaGraphRetainUserObject");
}

FailureMark HostWork::mark(cudaStream_t stream) const {
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
  unsigned long long id = 0;
  const std::lock_guard lock(mutex_);
  if (logs_.empty()) return;
  if (cudaStreamGetId(stream, &id) != cudaSuccess) {
    cudaGetLastError();  // nobody can be told; the log stays, and its id never comes again
    return;
  }
  const auto found = logs_.find(id);
  if (found == logs_.end()) return;
  found->second->failure();  // settles it: two logs that are not settled might keep each other
  logs_.erase(found);
}

std::shared_ptr<FailureLog> HostWork::find(cudaStream_t stream) const {
  unsigned long long id = 0;
  const std::lock_guard lock(mutex_);
  if (logs_.empty()) return nullptr;
  check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
  const auto found = logs_.find(id);
  return found == logs_.end() ? nullptr : found->second;
}

std::shared_ptr<FailureLog> HostWork::find_or_make(cudaStream_t stream) {
  unsigned long long id = 0;
  check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
  const std::lock_guard lock(mutex_);
  auto& log = logs_[id];
  if (log == nullptr) log = std::make_shared<FailureLog>();
  return log;
}

}  // namespace leat::detail::cuda
