#include "bench/bare_decode.h"

#include <cstdio>

// Included after <cstdio>, because libjpeg's header uses FILE.
#include <jpeglib.h>

namespace leat::bench {

std::size_t decode_whole(const std::vector<std::byte>& file, std::vector<unsigned char>& rgb) {
  jpeg_error_mgr errors;
  jpeg_decompress_struct decoder;
  decoder.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&decoder);
  jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&decoder, TRUE);
  decoder.out_color_space = JCS_RGB;
  jpeg_start_decompress(&decoder);
  const std::size_t stride = std::size_t{3} * decoder.output_width;
  rgb.resize(stride * decoder.output_height);
  while (decoder.output_scanline < decoder.output_height) {
    unsigned char* row = rgb.data() + stride * decoder.output_scanline;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  const std::size_t pixels = std::size_t{decoder.output_width} * decoder.output_height;
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
  return pixels;
}

}  // namespace leat::bench
