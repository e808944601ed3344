#include "tests/datasets/support/png_bytes.h"

#include <zlib.h>

#include <array>

#include "leat/datasets/errors.h"
#include "tests/datasets/support/file_bytes.h"

namespace leat::test {

namespace {

struct Pass {
  int x, y, dx, dy;
};

constexpr std::array<Pass, 7> kAdam7{
    {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};

int samples_of(PngKind kind) {
  switch (kind) {
    case PngKind::rgb:
      return 3;
    case PngKind::gray_alpha:
      return 2;
    case PngKind::rgb_alpha:
      return 4;
    default:
      return 1;
  }
}

// Samples one after the other, the most significant bit first, in whole bytes at the end of a row.
void append_row(const PngImage& image, const Pass& pass, int y, std::string& out) {
  unsigned bits = 0, count = 0;
  for (int x = pass.x; x < image.size.width; x += pass.dx) {
    for (int sample = 0; sample < samples_of(image.kind); ++sample) {
      bits = bits << image.depth | image.value(x, y, sample);
      for (count += static_cast<unsigned>(image.depth); count >= 8; count -= 8)
        out += static_cast<char>(bits >> (count - 8));
    }
  }
  if (count != 0) out += static_cast<char>(bits << (8 - count));
}

void append_pass(const PngImage& image, const Pass& pass, std::string& out) {
  if (pass.x >= image.size.width) return;
  for (int y = pass.y; y < image.size.height; y += pass.dy) {
    out += '\0';  // the row's filter: none
    append_row(image, pass, y, out);
  }
}

}  // namespace

std::string zlib_compressed(const std::string& content) {
  uLongf size = compressBound(content.size());
  std::string out(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
               content.size()) != Z_OK)
    throw Error("compress");
  out.resize(size);
  return out;
}

std::string png_chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return FileBytes()
      .big(static_cast<std::uint32_t>(data.size()))
      .text(body)
      .big(static_cast<std::uint32_t>(crc))
      .str();
}

std::string png_header(const PngImage& image) {
  return png_chunk("IHDR", FileBytes()
                               .big(static_cast<std::uint32_t>(image.size.width))
                               .big(static_cast<std::uint32_t>(image.size.height))
                               .u8(static_cast<unsigned>(image.depth))
                               .u8(static_cast<unsigned>(image.kind))
                               .zeros(2)
                               .u8(image.interlaced ? 1 : 0));
}

std::string png_file(const PngImage& image) {
  std::string rows;
  if (image.interlaced) {
    for (const Pass& pass : kAdam7) append_pass(image, pass, rows);
  } else {
    append_pass(image, {0, 0, 1, 1}, rows);
  }
  return std::string(kPngSignature) + png_header(image) + image.before +
         png_chunk("IDAT", zlib_compressed(rows)) + png_chunk("IEND", "");
}

}  // namespace leat::test
