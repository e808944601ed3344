// Resampling filters, as Pillow defines them (src/libImaging/Resample.c).
#pragma once

#include <cstdint>
#include <string_view>

namespace leat {

// All of them antialias: where the picture shrinks, the filter widens by the same factor.
enum class Filter : std::uint8_t {
  box,       // the mean of the source area
  bilinear,  // a triangle; torchvision's default
  bicubic,   // Keys' cubic with a = -0.5
};

std::string_view name_of(Filter filter) noexcept;

double support_of(Filter filter) noexcept;           // half the filter's width, in source pixels at scale 1
double weight_of(Filter filter, double x) noexcept;  // 0 outside of [-support, support]

}  // namespace leat
