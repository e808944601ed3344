// Values in the memory of any device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "leat/parallel/communicator.h"

namespace leat::test {

// Owns memory of a stream's device, and a copy of it on the host.
template <class T>
class DeviceValues {
 public:
  // Copies the values to the device on the stream, and waits for it.
  DeviceValues(StreamRef stream, std::vector<T> values)
      : values_(std::move(values)),
        memory_(stream.device().allocate(std::max<std::size_t>(std::span(values_).size_bytes(), 1))) {
    stream.device().copy(memory_.data(), values_.data(), std::span(values_).size_bytes(), stream);
    stream.synchronize();
  }

  TensorSpan span() const { return part(0, values_.size()); }
  TensorSpan part(std::size_t first, std::size_t count) const {
    return {.data = memory_.data() + first * sizeof(T), .count = count, .dtype = dtype_of<T>};
  }

  // Waits for the stream, and returns the values behind what is enqueued there.
  const std::vector<T>& read(StreamRef stream) {
    stream.device().copy(values_.data(), memory_.data(), std::span(values_).size_bytes(), stream);
    stream.synchronize();
    return values_;
  }

 private:
  std::vector<T> values_;
  DeviceBuffer memory_;
};

}  // namespace leat::test
