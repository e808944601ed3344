// A font of capital letters, digits and a few signs, for labels in images.
#pragma once

#include <string_view>

#include "leat/datasets/image/image.h"

namespace leat::tools {

using namespace detail;

inline constexpr int kGlyphWidth = 8, kGlyphHeight = 10;  // in pixels, with the gap to the next glyph

// Writes the text in white from (left, top) on, as much of it as fits into the row. Small letters become capitals,
// and missing signs become question marks.
void draw_text(std::string_view text, int left, int top, MutableImageView to);

}  // namespace leat::tools
