// A substitute for Gloo's header of this name. The headers of Gloo's TCP transport include it, but Gloo (2018 to 2025
// at least) does not install it. If it is installed, the build uses Gloo's. Names, layout and meaning must match the
// library's, because its objects contain pointers of these types.
#pragma once

#include <memory>
#include <thread>

namespace gloo {

template <class T>
class ShareableNonOwningPtr;
template <class T>
class WeakNonOwningPtr;

// Keeps its target from being destroyed while this pointer exists. Null if the target is already gone.
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

  // Returns whether the pointer was ever set, even if its target is gone.
  explicit operator bool() const noexcept {
    const std::weak_ptr<T> unset;
    return ptr_.owner_before(unset) || unset.owner_before(ptr_);
  }

 private:
  std::weak_ptr<T> ptr_;

  friend class NonOwningPtr<T>;
};

// A member of the target. Its destructor waits until no NonOwningPtr is left.
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
