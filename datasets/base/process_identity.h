// Tells which process an object belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace leat::detail {

/// Tells the process that made this object from its forked children, in which the object is a copy. is_current()
/// makes no system call. Thread-safe.
class ProcessIdentity {
 public:
  ProcessIdentity();  // identifies the calling process; throws SystemError
  bool is_current() const noexcept;
  std::uint64_t number() const noexcept { return forks_; }  // differs from those of the process's ancestors

 private:
  std::uint64_t forks_;
};

/// Deletes an object in the process that made it. A forked process leaves the object alone: the object's threads do
/// not exist there, those threads may hold its locks forever, and its processes and shared memory belong to the
/// parent.
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

/// A unique_ptr to an object that has threads, processes or shared memory. Fill it with make_process_owned(). Do not
/// fill it with reset(), which would keep the identity that was recorded for the previous object.
template <class T>
using ProcessOwned = std::unique_ptr<T, DeleteInOwnProcess<T>>;

template <class T, class... Args>
ProcessOwned<T> make_process_owned(Args&&... args) {
  return ProcessOwned<T>(new T(std::forward<Args>(args)...), DeleteInOwnProcess<T>());
}

}  // namespace leat::detail
