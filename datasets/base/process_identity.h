// Which process an object belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace leat::detail {

/// Tells the process that made it from those that are forked from that process, where the object is a copy. Asking
/// costs no system call. Thread-safe.
class ProcessIdentity {
 public:
  ProcessIdentity();  // of the calling process; throws SystemError
  bool is_current() const noexcept;
  std::uint64_t number() const noexcept { return forks_; }  // of the process, unlike those of its ancestors

 private:
  std::uint64_t forks_;
};

/// Deletes an object in the process that made it. In a forked process the object is left alone: its threads do not
/// exist there, its locks may be held by them for ever, and its processes and shared memory are the parent's.
template <class T>
class DeleteInOwnProcess {
 public:
  void operator()(T* object) const noexcept {
    if (owner_.is_current()) delete object;
  }
  const ProcessIdentity& owner() const noexcept { return owner_; }

 private:
  ProcessIdentity owner_;
};

/// A unique_ptr to an object that has threads, processes or shared memory. Fill it by make_process_owned(): its reset()
/// would keep the identity of the object before.
template <class T>
using ProcessOwned = std::unique_ptr<T, DeleteInOwnProcess<T>>;

template <class T, class... Args>
ProcessOwned<T> make_process_owned(Args&&... args) {
  return ProcessOwned<T>(new T(std::forward<Args>(args)...), DeleteInOwnProcess<T>());
}

}  // namespace leat::detail
