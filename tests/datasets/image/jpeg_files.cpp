#include "tests/datasets/image/jpeg_files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

// After <cstdio>: libjpeg's header uses FILE.
#include <jpeglib.h>

#include "leat/datasets/errors.h"

namespace leat::test {

namespace {

struct Pixels {
  Size size;
  int components;
  J_COLOR_SPACE space;
  std::vector<std::uint8_t> bytes;
};

// libjpeg's own error handler ends the program: these files are sound.
Bytes compress(Pixels pixels, const std::function<void(jpeg_compress_struct&)>& adjust) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = JDIMENSION(pixels.size.width);
  info.image_height = JDIMENSION(pixels.size.height);
  info.input_components = pixels.components;
  info.in_color_space = pixels.space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  adjust(info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW rows[] = {pixels.bytes.data() +
                       std::size_t(info.next_scanline) * info.image_width * pixels.components};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  Bytes jpeg(first, first + size);
  std::free(bytes);
  return jpeg;
}

Pixels rgb(const Image& image) {
  const std::size_t bytes = image.view().row_bytes() * std::size_t(image.size().height);
  return {image.size(), 3, JCS_RGB, {image.view().data, image.view().data + bytes}};
}

// Of `components` values per pixel, value(pixel, component) of the pixel's red, green and blue.
template <class Value>
Pixels pixels_of(const Image& image, int components, J_COLOR_SPACE space, const Value& value) {
  Pixels pixels{image.size(), components, space, {}};
  for (int y = 0; y < image.size().height; ++y) {
    for (int x = 0; x < image.size().width; ++x) {
      for (int i = 0; i < components; ++i) pixels.bytes.push_back(value(image.view().pixel(x, y), i));
    }
  }
  return pixels;
}

}  // namespace

Bytes gray_jpeg(const Image& image) {
  return compress(pixels_of(image, 1, JCS_GRAYSCALE, [](const std::uint8_t* rgb, int) { return rgb[0]; }),
                  [](auto&) {});
}

Bytes cmyk_jpeg(const Image& image, bool ycck) {
  const auto value = [](const std::uint8_t* rgb, int i) {
    return i < 3 ? rgb[i] : static_cast<std::uint8_t>(255 - rgb[1]);
  };
  return compress(pixels_of(image, 4, JCS_CMYK, value),
                  [&](auto& info) { jpeg_set_colorspace(&info, ycck ? JCS_YCCK : JCS_CMYK); });
}

Bytes sampled_jpeg(const Image& image, Sampling sampling) {
  return compress(rgb(image), [&](auto& info) {
    info.comp_info[0].h_samp_factor = sampling.horizontal;
    info.comp_info[0].v_samp_factor = sampling.vertical;
  });
}

Bytes arithmetic_jpeg(const Image& image, bool progressive) {
  return compress(rgb(image), [&](auto& info) {
    info.arith_code = TRUE;
    if (progressive) jpeg_simple_progression(&info);
  });
}

Bytes two_component_jpeg(Size size) {
  const std::size_t values = 2 * std::size_t(size.width) * std::size_t(size.height);
  return compress({size, 2, JCS_UNKNOWN, std::vector<std::uint8_t>(values, 9)}, [](auto&) {});
}

Bytes restarting_jpeg(const Image& image, int interval) {
  return compress(rgb(image), [&](auto& info) { info.restart_interval = static_cast<unsigned>(interval); });
}

Bytes coarse_progressive_jpeg(const Image& image) {
  static const jpeg_scan_info kMeans[] = {{3, {0, 1, 2}, 0, 0, 0, 0}};
  return compress(rgb(image), [](auto& info) {
    info.scan_info = kMeans;
    info.num_scans = 1;
    jpeg_set_quality(&info, 50, TRUE);
  });
}

Bytes gray_jpeg(Size size, std::uint8_t level) {
  const std::size_t pixels = std::size_t(size.width) * std::size_t(size.height);
  return compress({size, 1, JCS_GRAYSCALE, std::vector<std::uint8_t>(pixels, level)}, [](auto&) {});
}

Bytes cmyk_jpeg(Size size, const std::uint8_t (&stored)[4], bool ycck) {
  Pixels pixels{size, 4, JCS_CMYK, {}};
  for (int i = 0; i < size.width * size.height; ++i)
    pixels.bytes.insert(pixels.bytes.end(), stored, stored + 4);
  return compress(std::move(pixels),
                  [&](auto& info) { jpeg_set_colorspace(&info, ycck ? JCS_YCCK : JCS_CMYK); });
}

Bytes progressive_jpeg(const Image& image) {
  return compress(rgb(image), [](auto& info) { jpeg_simple_progression(&info); });
}

Bytes many_scan_jpeg(const Image& image, int repeats) {
  static const jpeg_scan_info kPlanes[] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  const Bytes jpeg = compress(rgb(image), [](auto& info) {
    info.scan_info = kPlanes;
    info.num_scans = 3;
  });
  std::size_t scan = 0;
  for (int i = 0; i < 3; ++i) scan = find_marker(jpeg, 0xda, scan + 1);
  const std::size_t end = jpeg.size() - 2;  // the end-of-image marker
  Bytes longer(jpeg.begin(), jpeg.begin() + std::ptrdiff_t(end));
  for (int i = 0; i < repeats; ++i)
    longer.insert(longer.end(), jpeg.begin() + std::ptrdiff_t(scan), jpeg.end() - 2);
  longer.insert(longer.end(), jpeg.end() - 2, jpeg.end());
  return longer;
}

Bytes with_size(Bytes jpeg, int width, int height) {
  for (const int marker : {0xc0, 0xc2}) {
    const std::size_t frame = find_marker(jpeg, marker);
    if (frame == jpeg.size()) continue;
    // Marker, 2 bytes of length, 1 of precision, then height and width, high byte first.
    const int bytes[] = {height >> 8, height & 255, width >> 8, width & 255};
    for (std::size_t i = 0; i < 4; ++i) jpeg[frame + 5 + i] = std::byte(bytes[i]);
    return jpeg;
  }
  throw Error("no frame header");
}

Bytes with_exif(Bytes jpeg, int orientation, bool little_endian) {
  const int lo = orientation & 255;
  // A directory of two entries: the image's width, and its orientation.
  const std::vector<int> big{'M', 'M', 0, 42, 0,    0, 0, 8, 0, 2, 1, 0, 0,  3, 0, 0, 0, 1, 0,
                             99,  0,   0, 1,  0x12, 0, 3, 0, 0, 0, 1, 0, lo, 0, 0, 0, 0, 0, 0};
  const std::vector<int> little{'I', 'I', 42, 0,    8, 0, 0, 0, 2, 0, 0, 1,  3, 0, 1, 0, 0, 0, 99,
                                0,   0,   0,  0x12, 1, 3, 0, 1, 0, 0, 0, lo, 0, 0, 0, 0, 0, 0, 0};
  std::vector<int> segment{0xff, 0xe1, 0, 2 + 6 + 38, 'E', 'x', 'i', 'f', 0, 0};
  const std::vector<int>& tiff = little_endian ? little : big;
  segment.insert(segment.end(), tiff.begin(), tiff.end());
  Bytes bytes;
  for (const int byte : segment) bytes.push_back(std::byte(byte));
  jpeg.insert(jpeg.begin() + 2, bytes.begin(), bytes.end());
  return jpeg;
}

Bytes without_segments(const Bytes& jpeg, std::initializer_list<int> markers) {
  constexpr std::byte kScan{0xda};
  Bytes kept(jpeg.begin(), jpeg.begin() + 2);
  std::size_t at = 2;
  for (std::size_t next = 0; at + 4 <= jpeg.size() && jpeg[at + 1] != kScan; at = next) {
    const auto length =
        std::to_integer<std::size_t>(jpeg[at + 2]) << 8 | std::to_integer<std::size_t>(jpeg[at + 3]);
    next = std::min(at + 2 + length, jpeg.size());
    if (std::ranges::find(markers, std::to_integer<int>(jpeg[at + 1])) != markers.end()) continue;
    kept.insert(kept.end(), jpeg.begin() + std::ptrdiff_t(at), jpeg.begin() + std::ptrdiff_t(next));
  }
  kept.insert(kept.end(), jpeg.begin() + std::ptrdiff_t(at), jpeg.end());
  return kept;
}

Bytes optimized_jpeg(const Image& image, int quality) {
  return compress(rgb(image), [&](auto& info) {
    info.optimize_coding = TRUE;
    jpeg_set_quality(&info, quality, TRUE);
  });
}

std::size_t find_marker(std::span<const std::byte> jpeg, int marker, std::size_t from) {
  for (std::size_t i = from; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xff} && jpeg[i + 1] == std::byte(marker)) return i;
  }
  return jpeg.size();
}

}  // namespace leat::test
