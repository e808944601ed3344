// Page-locked host memory.
#pragma once

#include <cstddef>

#include "leat/transfer/device.h"

namespace leat::bench {

/// Memory that is mapped shared, as the loader's slots are, populated, and page-locked for `device`.
class PageLocked {
 public:
  PageLocked(Device& device, std::size_t bytes);
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;
  ~PageLocked();

  std::byte* data() const noexcept { return data_; }
  double pin_milliseconds() const noexcept { return pin_ms_; }

 private:
  std::size_t bytes_;
  std::byte* data_;
  PinnedRegion pinned_;
  double pin_ms_ = 0;
};

}  // namespace leat::bench
