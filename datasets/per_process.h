/// \file
/// Resources that a forked process cannot share with its parent.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "leat/datasets/export.h"

namespace leat {

namespace detail {
// Identifies a process: processes forked from it have other numbers. Throws SystemError.
LEAT_EXPORT std::uint64_t process_number();
}  // namespace detail

/// A resource that each process opens for itself when it first needs it: a database connection, a socket, a GPU
/// context. Use it as a member of a Dataset. Worker processes inherit the dataset as it is when the loader is
/// created. But sockets, pipes and devices are closed in them, and two processes could not share one connection.
///
///     class Rows final : public leat::Dataset {
///       ...
///       leat::PerProcess<Connection> connection_{[] { return Connection("host=db"); }};
///     };
///     // in get():
///     connection_.get().select(index);
///
/// Thread-safe. The resource is opened once per process, even if several threads request it at the same time.
template <class T>
class PerProcess {
 public:
  /// `open` returns the resource. It is called in each process that needs the resource.
  explicit PerProcess(std::function<T()> open) : open_(std::move(open)) {}
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  /// Closes the resource of this process. Does not touch a resource that the parent has opened.
  ~PerProcess() {
    Opened* const opened = opened_.load();
    if (opened != nullptr && opened->process == detail::process_number()) delete opened;
  }

  /// Returns the resource of the calling process. Throws what `open` throws; the next call tries again.
  T& get() const {
    Opened& mine = own();
    const std::lock_guard lock(mine.mutex);
    if (!mine.resource) mine.resource.reset(new T(open_()));
    return *mine.resource;
  }

 private:
  struct Opened {
    std::uint64_t process = detail::process_number();
    std::mutex mutex;  // a forked process makes a new one, since this one may be locked at the fork
    std::unique_ptr<T> resource;
  };

  Opened& own() const {
    Opened* seen = opened_.load();
    while (seen == nullptr || seen->process != detail::process_number()) {
      auto fresh = std::make_unique<Opened>();
      if (opened_.compare_exchange_strong(seen, fresh.get())) return *fresh.release();
    }
    return *seen;
  }

  std::function<T()> open_;
  mutable std::atomic<Opened*> opened_{nullptr};
};

}  // namespace leat
