/// \file
/// Options for resizing images.
#pragma once

#include <cstdint>
#include <string_view>

#include "leat/datasets/export.h"

namespace leat {

/// Resampling filters, as Pillow defines them (src/libImaging/Resample.c). All of them antialias: if the image shrinks,
/// the filter widens by the same factor.
enum class Filter : std::uint8_t {
  box,       ///< Mean of the source area.
  bilinear,  ///< Triangle; torchvision's default.
  bicubic,   ///< Keys' cubic with a = -0.5.
  lanczos,   ///< sinc(x) sinc(x / 3) up to 3.
};

/// Returns "box", "bilinear", "bicubic" or "lanczos".
LEAT_EXPORT std::string_view name_of(Filter filter) noexcept;

/// Which pixels a filter may read when a crop is resized.
enum class FilterReach : std::uint8_t {
  crop,   ///< Only those of the crop, as if it were cut out first; as in torchvision.
  image,  ///< Also those beyond its edges, as in Pillow's resize(box).
};

/// Returns "crop" or "image".
LEAT_EXPORT std::string_view name_of(FilterReach reach) noexcept;

}  // namespace leat
