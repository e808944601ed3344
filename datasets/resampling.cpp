#include "leat/datasets/resampling.h"

namespace leat {

std::string_view name_of(Filter filter) noexcept {
  switch (filter) {
    case Filter::box:
      return "box";
    case Filter::bilinear:
      return "bilinear";
    case Filter::bicubic:
      return "bicubic";
    case Filter::lanczos:
      return "lanczos";
  }
  return "?";
}

std::string_view name_of(FilterReach reach) noexcept {
  return reach == FilterReach::crop ? "crop" : "image";
}

}  // namespace leat
