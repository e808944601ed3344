// What every loader of JPEGs has to beat: the bare decoder.
#pragma once

#include <cstddef>
#include <vector>

namespace leat::bench {

// The file whole to RGB with libjpeg-turbo's default settings; returns the number of pixels. Its default error
// handler ends the program, which is right for a benchmark.
std::size_t decode_whole(const std::vector<std::byte>& file, std::vector<unsigned char>& rgb);

}  // namespace leat::bench
