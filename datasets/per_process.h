// Resources that a forked process cannot share with its parent.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "leat/datasets/base/process_identity.h"

namespace leat {

/// A resource that each process opens for itself when it first needs it: a database connection, a socket, a GPU context.
/// Use it as a member of a Dataset. Worker processes inherit the dataset as it is when the loader is made, but sockets,
/// pipes and devices are closed in them, and two processes could not use one connection anyhow.
///
///     class Rows final : public leat::Dataset {
///       ...
///       leat::PerProcess<Connection> connection_{[] { return Connection("host=db"); }};
///     };
///     // in get():
///     connection_.get().select(index);
///
/// Thread-safe; a resource is opened once per process, also if several threads ask for it at once.
template <class T>
class PerProcess {
 public:
  explicit PerProcess(std::function<T()> open) : open_(std::move(open)) {}
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  /// Closes the resource of this process. What a parent had opened is left alone.
  ~PerProcess() {
    Opened* const opened = opened_.load();
    if (opened != nullptr && opened->owner.is_current()) delete opened;
  }

  /// The calling process's resource. Throws what `open` throws; the next call tries again.
  T& get() const {
    Opened& mine = own();
    const std::lock_guard lock(mine.mutex);
    if (!mine.resource) mine.resource.reset(new T(open_()));
    return *mine.resource;
  }

 private:
  struct Opened {
    detail::ProcessIdentity owner;
    std::mutex mutex;  // a forked process makes a new one: this one may have been locked at the fork
    std::unique_ptr<T> resource;
  };

  Opened& own() const {
    Opened* seen = opened_.load();
    while (seen == nullptr || !seen->owner.is_current()) {
      auto fresh = std::make_unique<Opened>();
      if (opened_.compare_exchange_strong(seen, fresh.get())) return *fresh.release();
    }
    return *seen;
  }

  std::function<T()> open_;
  mutable std::atomic<Opened*> opened_{nullptr};
};

}  // namespace leat
