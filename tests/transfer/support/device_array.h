// Arrays in a device's memory, for tests of operations.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "leat/transfer/device.h"

namespace leat::test {

// Values in the memory of a stream's device, `skip` elements behind an aligned address. Elements before and behind them
// must stay as they are, which values() checks.
template <class T>
class DeviceArray {
 public:
  DeviceArray(StreamRef stream, const std::vector<T>& values, std::size_t skip = 0)
      : stream_(stream), skip_(skip), size_(values.size()), before_(skip + size_ + kBehind) {
    std::memset(static_cast<void*>(before_.data()), 0x5c, before_.size() * sizeof(T));
    std::copy(values.begin(), values.end(), before_.begin() + static_cast<std::ptrdiff_t>(skip));
    memory_ = stream.device().allocate(before_.size() * sizeof(T));
    stream.device().copy(memory_.data(), before_.data(), memory_.size(), stream);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { stream_.synchronize(); }

  T* data() const { return reinterpret_cast<T*>(memory_.data()) + skip_; }

  std::vector<T> values() const {
    std::vector<T> all(before_.size());
    stream_.device().copy(all.data(), memory_.data(), memory_.size(), stream_);
    stream_.synchronize();
    const bool is_intact =
        std::memcmp(all.data(), before_.data(), skip_ * sizeof(T)) == 0 &&
        std::memcmp(&all[skip_ + size_], &before_[skip_ + size_], kBehind * sizeof(T)) == 0;
    if (!is_intact) FAIL("memory beside an array was written to");
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(skip_);
    return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(size_));
  }

 private:
  static constexpr std::size_t kBehind = 16;

  StreamRef stream_;
  std::size_t skip_;
  std::size_t size_;
  std::vector<T> before_;
  DeviceBuffer memory_;
};

// Compares bits, so that equal NaNs are equal, and 0 and -0 are not.
template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace leat::test
