/// \file
/// How an image is resized.
#pragma once

#include <cstdint>
#include <string_view>

#include "leat/datasets/export.h"

namespace leat {

/// Resampling filters, as Pillow defines them (src/libImaging/Resample.c). All of them antialias: if the image shrinks,
/// the filter widens by the same factor.
enum class Filter : std::uint8_t {
  box,       ///< The mean of the source area.
  bilinear,  ///< A triangle; torchvision's default.
  bicubic,   ///< Keys' cubic with a = -0.5.
  lanczos,   ///< sinc(x) sinc(x / 3) up to 3.
};

/// Returns "box", "bilinear", "bicubic" or "lanczos".
LEAT_EXPORT std::string_view name_of(Filter filter) noexcept;

/// Which pixels a filter may read if a crop is resized.
enum class FilterReach : std::uint8_t {
  crop,   ///< Those of the crop alone, as if it were cut out first, as torchvision does.
  image,  ///< Those beyond its edges, too, as Pillow's resize(box) does.
};

/// Returns "crop" or "image".
LEAT_EXPORT std::string_view name_of(FilterReach reach) noexcept;

}  // namespace leat
