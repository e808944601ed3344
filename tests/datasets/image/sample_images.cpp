#include "tests/datasets/image/sample_images.h"

#include <functional>

#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/png_bytes.h"

namespace leat::test {

using namespace leat::detail;

namespace {

int between(int low, int high, Rng& rng) {
  return low + static_cast<int>(rng.below(static_cast<std::uint64_t>(high - low) + 1));
}

Image random_image(Rng& rng) {
  const Size size{between(24, 70, rng), between(24, 70, rng)};
  const int shift = between(0, 255, rng);
  const bool calm = rng.bernoulli(0.5);
  return image_of(size,
                  [&](int x, int y, int c) { return shift + (calm ? ramp(x, y, c) : formula(x, y, c)); });
}

Bytes random_jpeg(Rng& rng) {
  const Image image = random_image(rng);
  switch (rng.below(14)) {
    case 0:
      return gray_jpeg(image);
    case 1:
      return cmyk_jpeg(image, rng.bernoulli(0.5));
    case 2:
      return sampled_jpeg(image, {between(1, 4, rng), between(1, 2, rng)});
    case 3:
      return arithmetic_jpeg(image, rng.bernoulli(0.5));
    case 4:
      return restarting_jpeg(image, between(1, 4, rng));
    case 5:
      return progressive_jpeg(image);
    case 6:
      return coarse_progressive_jpeg(image);
    case 7:
      return many_scan_jpeg(image, between(0, 3, rng));
    case 8:
    case 9:
      return optimized_jpeg(image, between(5, 95, rng));
    case 10:
      return with_exif(optimized_jpeg(image, 50), between(1, 8, rng), rng.bernoulli(0.5));
    default: {
      const ChromaSampling chroma = rng.bernoulli(0.5) ? ChromaSampling::half : ChromaSampling::full;
      return encode_jpeg(image.view(), {.quality = between(1, 100, rng), .chroma = chroma});
    }
  }
}

Bytes random_png(Rng& rng) {
  constexpr PngKind kKinds[] = {PngKind::gray, PngKind::rgb, PngKind::palette, PngKind::gray_alpha,
                                PngKind::rgb_alpha};
  const PngKind kind = kKinds[rng.below(std::size(kKinds))];
  const bool small = kind == PngKind::gray || kind == PngKind::palette;
  const int depth = small ? 1 << rng.below(4) : kind != PngKind::palette && rng.bernoulli(0.3) ? 16 : 8;
  const int shift = between(0, 255, rng);
  const unsigned mask = (1U << depth) - 1;
  std::string before;
  if (kind == PngKind::palette) {
    const auto colors = static_cast<std::size_t>(between(1, 1 << depth, rng));  // often fewer than are used
    before = png_chunk("PLTE", std::string(3 * colors, static_cast<char>(shift)));
    if (rng.bernoulli(0.3)) before += png_chunk("tRNS", "\x40");
  }
  const auto value = [=](int x, int y, int s) {
    return static_cast<unsigned>(shift + formula(x, y, s) * 257) & mask;
  };
  return bytes_of(png_file({.size = {between(24, 70, rng), between(24, 70, rng)},
                            .kind = kind,
                            .depth = depth,
                            .interlaced = rng.bernoulli(0.3),
                            .value = value,
                            .before = before}));
}

void damage(Bytes& file, Rng& rng) {
  const int bytes = between(1, 5, rng);
  for (int i = 0; i < bytes; ++i) file[2 + rng.below(file.size() - 2)] = std::byte(rng.below(256));
}

Bytes incomplete(const Bytes& jpeg, Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      return without_segments(jpeg, {0xdb});
    case 1:
      return without_segments(jpeg, {0xc4});
    default:
      return without_segments(jpeg, {0xc4, 0xdb});
  }
}

}  // namespace

std::vector<Bytes> sample_images(std::size_t count, Rng& rng) {
  std::vector<Bytes> files;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_jpeg = rng.bernoulli(0.75);
    Bytes file = is_jpeg ? random_jpeg(rng) : random_png(rng);
    const double kind = rng.uniform();
    if (kind < 0.2 && is_jpeg) {
      file = incomplete(file, rng);
    } else if (kind < 0.4) {
      damage(file, rng);
    } else if (kind < 0.5) {
      file.resize(2 + rng.below(file.size() - 2));
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace leat::test
