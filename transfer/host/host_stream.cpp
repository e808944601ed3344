#include "leat/transfer/host/host_stream.h"

#include <utility>

#include "leat/loader/os/brief_wait.h"
#include "leat/loader/os/service_thread.h"
#include "leat/transfer/device.h"

namespace leat::detail {
namespace {

thread_local bool is_stream_thread = false;

}  // namespace

bool HostStream::runs_this_thread() noexcept {
  return is_stream_thread;
}

HostStream::HostStream() : thread_(start_service_thread("leat-stream", [this] { work_off(); })) {}

HostStream::~HostStream() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void HostStream::run(std::function<void()> work) {
  push(Work{std::move(work)});
}

void HostStream::fire(std::shared_ptr<HostMark> mark) {
  push(Fire{std::move(mark)});
}

void HostStream::wait_for(std::shared_ptr<HostMark> mark) {
  push(Wait{std::move(mark)});
}

void HostStream::wait_in(std::function<void()> waiter) {
  push(ForeignWait{std::move(waiter)});
}

void HostStream::synchronize() {
  if (std::this_thread::get_id() == thread_.get_id()) {
    throw DeviceError(
        "cpu: work on a stream must not synchronize with that stream: it would wait for itself");
  }
  const auto mark = std::make_shared<HostMark>();
  fire(mark);
  if (const std::exception_ptr failure = mark->wait()) std::rethrow_exception(failure);
}

void HostStream::push(Task task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
    pushed_.fetch_add(1, std::memory_order_relaxed);
  }
  changed_.notify_one();
}

void HostStream::work_off() {
  is_stream_thread = true;
  for (;;) {
    Task task;  // destroyed before the next one runs, so that its captures are gone when a later mark fires
    if (!pop(task)) return;
    perform(task);
  }
}

bool HostStream::pop(Task& task) {
  // A user who waits for a stream often gives it the next task at once.
  wait_briefly([this] { return pushed_.load(std::memory_order_relaxed) != popped_; });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  task = std::move(queue_.front());
  queue_.pop_front();
  ++popped_;
  return true;
}

void HostStream::perform(Task& task) noexcept {
  if (const auto* fire = std::get_if<Fire>(&task)) {
    fire->mark->fire(failure_);
  } else if (const auto* wait = std::get_if<Wait>(&task)) {
    std::exception_ptr carried = wait->mark->wait();
    if (!failure_) failure_ = std::move(carried);
  } else if (const auto* foreign = std::get_if<ForeignWait>(&task)) {
    attempt(foreign->waiter);
  } else if (!failure_) {
    attempt(std::get<Work>(task).run);
  }
}

void HostStream::attempt(const std::function<void()>& function) noexcept {
  try {
    function();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace leat::detail
