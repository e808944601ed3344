// Stands in for the header of this name, which the headers of Gloo's TCP transport include, and which Gloo
// (2018 to 2025 at least) does not install; where it is installed, the build takes that one. Names, layout
// and meaning must be the library's: pointers of these types lie within its objects.
#pragma once

#include <memory>
#include <thread>

namespace gloo {

template <class T>
class ShareableNonOwningPtr;
template <class T>
class WeakNonOwningPtr;

// Keeps what it points to from being destroyed for as long as it lives; null if that is gone already.
template <class T>
class NonOwningPtr final {
 public:
  NonOwningPtr() = default;
  explicit NonOwningPtr(const WeakNonOwningPtr<T>& weak) : ptr_(weak.ptr_.lock()) {}

  T* operator->() const noexcept { return ptr_.get(); }
  explicit operator bool() const noexcept { return ptr_ != nullptr; }

 private:
  std::shared_ptr<T> ptr_;
};

template <class T>
class WeakNonOwningPtr final {
 public:
  WeakNonOwningPtr() = default;
  explicit WeakNonOwningPtr(const ShareableNonOwningPtr<T>& owner) : ptr_(owner.ptr_) {}

  // Whether it was ever set, even if what it points to is gone.
  explicit operator bool() const noexcept {
    const std::weak_ptr<T> unset;
    return ptr_.owner_before(unset) || unset.owner_before(ptr_);
  }

 private:
  std::weak_ptr<T> ptr_;

  friend class NonOwningPtr<T>;
};

// A member of what is pointed to; its destructor waits until no NonOwningPtr is left.
template <class T>
class ShareableNonOwningPtr final {
 public:
  explicit ShareableNonOwningPtr(T* owner) : ptr_(owner, [](T*) {}) {}
  ShareableNonOwningPtr(const ShareableNonOwningPtr&) = delete;
  ShareableNonOwningPtr& operator=(const ShareableNonOwningPtr&) = delete;
  ~ShareableNonOwningPtr() {
    const std::weak_ptr<T> weak(ptr_);
    ptr_.reset();
    while (!weak.expired()) std::this_thread::yield();
  }

 private:
  std::shared_ptr<T> ptr_;

  friend class WeakNonOwningPtr<T>;
};

}  // namespace gloo
