// How many images were decoded with warnings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/image/decode_warnings.h"

namespace leat {

/// Counts the images of a dataset that were decoded with warnings, by kind. Worker processes that are forked after the
/// construction count into the same memory, so the parent sees their images, too. An image counts each time that it is
/// decoded.
///
/// Thread-safe. A copy counts into the same memory; a moved-from object may only be destroyed or assigned to.
class ImageWarnings {
 public:
  /// Throws MemoryError or SystemError if there is no memory to share.
  ImageWarnings();

  /// Counts the image `index` if it has warnings.
  void count(DecodeWarnings warnings, std::size_t index) const noexcept;

  struct Counts {
    std::uint64_t images = 0;                            // with warnings
    std::array<std::uint64_t, kDecodeWarnings> kinds{};  // by DecodeWarning; an image can have several
    std::optional<std::size_t> first;                    // index of the first image counted
  };
  Counts counts() const noexcept;

  /// One sentence: how many images, which kinds, and where the first of them lies: describe(its index). Empty if there
  /// are none.
  std::string text(const std::function<std::string(std::size_t index)>& describe) const;

 private:
  struct Shared;
  Shared& shared() const noexcept;

  std::shared_ptr<const detail::SharedMemory> memory_;  // shared: copies of a dataset count together
};

}  // namespace leat
