#include "tools/convert/tiny_font.h"

#include <algorithm>
#include <array>

namespace leat::tools {
namespace {

constexpr int kScale = 2;  // pixels per dot of a glyph

// Five rows of three dots; each row is an octal digit.
struct Glyph {
  char sign;
  std::string_view rows;
};

constexpr std::array<Glyph, 45> kGlyphs{
    {{'0', "75557"}, {'1', "26227"}, {'2', "71747"}, {'3', "71717"}, {'4', "55711"}, {'5', "74717"},
     {'6', "74757"}, {'7', "71222"}, {'8', "75757"}, {'9', "75717"}, {'A', "25755"}, {'B', "65656"},
     {'C', "34443"}, {'D', "65556"}, {'E', "74647"}, {'F', "74644"}, {'G', "34553"}, {'H', "55755"},
     {'I', "72227"}, {'J', "11152"}, {'K', "55655"}, {'L', "44447"}, {'M', "57755"}, {'N', "65555"},
     {'O', "25552"}, {'P', "65644"}, {'Q', "25563"}, {'R', "65655"}, {'S', "34216"}, {'T', "72222"},
     {'U', "55557"}, {'V', "55552"}, {'W', "55775"}, {'X', "55255"}, {'Y', "55222"}, {'Z', "71247"},
     {' ', "00000"}, {'-', "00700"}, {'_', "00007"}, {'.', "00002"}, {':', "02020"}, {'/', "11244"},
     {'+', "02720"}, {',', "00024"}, {'?', "71202"}}};

std::string_view rows_of(char sign) {
  if (sign >= 'a' && sign <= 'z') sign = static_cast<char>(sign - 'a' + 'A');
  const auto found = std::ranges::find(kGlyphs, sign, &Glyph::sign);
  return found == kGlyphs.end() ? kGlyphs.back().rows : found->rows;
}

void draw_glyph(std::string_view rows, int left, int top, MutableImageView to) {
  for (int y = 0; y < 5 * kScale; ++y) {
    const int dots = rows[static_cast<std::size_t>(y / kScale)] - '0';
    for (int x = 0; x < 3 * kScale; ++x) {
      if ((dots >> (2 - x / kScale) & 1) != 0) std::fill_n(to.pixel(left + x, top + y), kChannels, 255);
    }
  }
}

}  // namespace

void draw_text(std::string_view text, int left, int top, MutableImageView to) {
  for (const char sign : text) {
    if (left + kGlyphWidth > to.size.width || top + kGlyphHeight > to.size.height) return;
    draw_glyph(rows_of(sign), left, top, to);
    left += kGlyphWidth;
  }
}

}  // namespace leat::tools
