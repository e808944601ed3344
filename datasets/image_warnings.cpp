#include "leat/datasets/image_warnings.h"

#include <fmt/format.h>

#include <new>
#include <string_view>

#include "leat/datasets/base/shared_atomic.h"
#include "leat/datasets/base/shared_memory.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::array<std::string_view, kDecodeWarnings> kTexts{
    "extraneous bytes in the header", "surplus coded data",         "invalid scan parameters",
    "an unknown JFIF revision",       "an unknown color transform", "damaged EXIF data",
    "colors that the palette lacks",  "warnings of libpng",         "missing data (allow_corrupt)"};

}  // namespace

struct ImageWarnings::Shared {
  SharedAtomic<std::uint64_t> images{0};
  SharedAtomic<std::uint64_t> first{0};  // index + 1; 0 if there is none yet
  std::array<SharedAtomic<std::uint64_t>, kDecodeWarnings> kinds{};
};

ImageWarnings::ImageWarnings()
    : memory_(std::make_shared<const SharedMemory>("counts of image warnings", sizeof(Shared))) {
  new (memory_->bytes().data()) Shared;
}

ImageWarnings::Shared& ImageWarnings::shared() const noexcept {
  return *std::launder(reinterpret_cast<Shared*>(memory_->bytes().data()));
}

void ImageWarnings::count(DecodeWarnings warnings, std::size_t index) const noexcept {
  if (!warnings.any()) return;
  Shared& counts = shared();
  std::uint64_t none = 0;
  counts.first.compare_exchange_strong(none, index + 1, std::memory_order_relaxed);
  for (unsigned kind = 0; kind < kDecodeWarnings; ++kind) {
    if (warnings.has(static_cast<DecodeWarning>(kind)))
      counts.kinds[kind].fetch_add(1, std::memory_order_relaxed);
  }
  counts.images.fetch_add(1, std::memory_order_release);
}

ImageWarnings::Counts ImageWarnings::counts() const noexcept {
  const Shared& shared = this->shared();
  Counts counts{.images = shared.images.load(std::memory_order_acquire), .kinds = {}, .first = {}};
  for (unsigned kind = 0; kind < kDecodeWarnings; ++kind)
    counts.kinds[kind] = shared.kinds[kind].load(std::memory_order_relaxed);
  if (const std::uint64_t first = shared.first.load(std::memory_order_relaxed)) counts.first = first - 1;
  return counts;
}

std::string ImageWarnings::text(const std::function<std::string(std::size_t index)>& describe) const {
  const Counts found = counts();
  if (found.images == 0 || !found.first) return {};
  std::string kinds;
  for (unsigned kind = 0; kind < kDecodeWarnings; ++kind) {
    if (found.kinds[kind] == 0) continue;
    kinds += fmt::format("{}{} with {}", kinds.empty() ? "" : ", ", found.kinds[kind], kTexts[kind]);
  }
  return fmt::format("{} damaged image{} decoded: {}; the first was {}", found.images,
                     found.images == 1 ? " was" : "s were", kinds, describe(*found.first));
}

}  // namespace leat
