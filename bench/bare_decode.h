// The bare JPEG decoder, the limit that every loader of JPEGs is compared with.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::bench {

// Decodes the whole file to RGB with libjpeg-turbo's default settings, and returns the number of pixels. The default
// error handler ends the program, which is acceptable in a benchmark.
std::size_t decode_whole(const std::vector<std::byte>& file, std::vector<unsigned char>& rgb);

}  // namespace leat::bench
