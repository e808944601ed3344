// Images as one number, to compare them with those that other programs made.
#pragma once

#include <cstdint>

#include "leat/datasets/image/image.h"

namespace leat::test {

using namespace leat::detail;

// FNV-1a of all bytes, row by row.
inline std::uint64_t fnv1a(ImageView image) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int y = 0; y < image.size.height; ++y) {
    for (std::size_t i = 0; i < image.row_bytes(); ++i) hash = (hash ^ image.row(y)[i]) * 0x100000001b3u;
  }
  return hash;
}

inline std::uint64_t fnv1a(const Image& image) {
  return fnv1a(image.view());
}

inline bool equal(const Image& a, const Image& b) {
  return a.size() == b.size() && fnv1a(a) == fnv1a(b);
}

}  // namespace leat::test
