// PNG files of every kind, made chunk by chunk (ISO/IEC 15948).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "leat/datasets/image/image.h"

namespace leat::test {

using namespace leat::detail;

enum class PngKind { gray = 0, rgb = 2, palette = 3, gray_alpha = 4, rgb_alpha = 6 };

struct PngImage {
  Size size;
  PngKind kind = PngKind::rgb;
  int depth = 8;  // bits of a sample
  bool interlaced = false;
  std::function<unsigned(int x, int y, int sample)> value = {};
  std::string before = {};  // chunks before the pixels: PLTE, tRNS, eXIf
};

// Length, type, data and CRC.
std::string png_chunk(std::string_view type, std::string_view data);
std::string png_header(const PngImage& image);  // the chunk IHDR
std::string png_file(const PngImage& image);
std::string zlib_compressed(const std::string& content);

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

}  // namespace leat::test
