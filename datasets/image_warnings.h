/// \file
/// Counters of images that were decoded with warnings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/export.h"

namespace leat {

namespace detail {
class SharedMemory;
}

/// Counts the images of a dataset that were decoded with warnings, by kind. Worker processes that are forked after
/// the construction count into the same memory, so the parent also sees their images. An image is counted each time
/// it is decoded.
///
/// Thread-safe. A copy counts into the same memory. A moved-from object may only be destroyed or assigned to.
class LEAT_EXPORT ImageWarnings {
 public:
  /// Throws MemoryError or SystemError if there is no memory to share.
  ImageWarnings();

  /// Counts the image `index` if it has warnings.
  void count(DecodeWarnings warnings, std::size_t index) const noexcept;

  /// The counts of all processes.
  struct Counts {
    std::uint64_t images = 0;  ///< Images with warnings.
    /// Number of images by DecodeWarning. An image can have several warnings.
    std::array<std::uint64_t, kDecodeWarnings> kinds{};
    std::optional<std::size_t> first;  ///< The index of the image that was counted first.
  };
  /// Returns what all processes have counted so far.
  Counts counts() const noexcept;

  /// Returns one sentence: how many images, which kinds, and where the first one comes from, according to `describe`.
  /// Empty if no image has warnings.
  std::string text(const std::function<std::string(std::size_t index)>& describe) const;

 private:
  struct Shared;
  Shared& shared() const noexcept;

  std::shared_ptr<const detail::SharedMemory> memory_;  // shared, so that copies of a dataset count together
};

}  // namespace leat
