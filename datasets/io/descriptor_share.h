// A share of the file descriptors that the process may have.
#pragma once

namespace leat::detail {

// The right to keep one file open between reads. All datasets of the process together have as many as a quarter of
// RLIMIT_NOFILE, so that however many datasets are open, three quarters are left to the program, its sockets and its
// libraries. First come, first served; a file without a share is opened for each read.
//
// Thread-safe without a lock, and safe to fork: a child inherits the open files and their count.
class DescriptorShare {
 public:
  DescriptorShare() = default;
  DescriptorShare(DescriptorShare&& other) noexcept : taken_(other.taken_) { other.taken_ = false; }
  DescriptorShare& operator=(DescriptorShare&& other) noexcept;
  ~DescriptorShare() { give_back(); }

  // Takes a share. The result is false if none is left.
  static DescriptorShare try_take() noexcept;

  explicit operator bool() const noexcept { return taken_; }

 private:
  void give_back() noexcept;

  bool taken_ = false;
};

}  // namespace leat::detail
