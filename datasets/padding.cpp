#include "leat/datasets/padding.h"

#include "leat/datasets/image/resample/padding.h"

namespace leat {

using namespace detail;

std::string_view name_of(PaddingMode mode) noexcept {
  switch (mode) {
    case PaddingMode::constant:
      return "constant";
    case PaddingMode::edge:
      return "edge";
    case PaddingMode::reflect:
      return "reflect";
    case PaddingMode::symmetric:
      return "symmetric";
  }
  return "?";
}

Size Padding::around(Size image) const {
  return {padded_extent(left, image.width, right), padded_extent(top, image.height, bottom)};
}

}  // namespace leat
