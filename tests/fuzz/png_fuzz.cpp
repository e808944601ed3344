// A PNG file through the pixel path, its chunks' CRCs put right so that what is in them counts; the first byte says
// whether the image is turned upright, and seeds the crop.
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "leat/datasets/image/image_loader.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr std::size_t kSignature = 8, kAround = 12;

// Of every chunk that is whole.
void mend_checksums(std::vector<std::uint8_t>& file) {
  const auto big = [&](std::size_t at) {
    return std::size_t{file[at]} << 24 | std::size_t{file[at + 1]} << 16 | std::size_t{file[at + 2]} << 8 |
           file[at + 3];
  };
  for (std::size_t at = kSignature; file.size() >= at + kAround;) {
    const std::size_t length = big(at);
    if (length > file.size() - at - kAround) return;
    const auto crc = crc32(0, file.data() + at + 4, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i)
      file[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += kAround + length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + kSignature) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  constexpr std::uint8_t kStart[kSignature] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  std::copy_n(kStart, kSignature, file.begin());
  mend_checksums(file);
  return leat::fuzz::accept_errors([&] {
    constexpr int kSize = 16;
    static const leat::TransformPipeline transforms =
        leat::RandomResizedCrop{kSize} | leat::RandomHorizontalFlip{};
    const leat::JpegLimits limits{.max_pixels = 1 << 20, .max_decoder_bytes = std::size_t{64} << 20};
    std::vector<std::uint8_t> pixels(kSize * kSize * leat::kChannels);
    leat::Rng rng(data[0], 0, 0);
    const leat::detail::MutableImageView out{pixels.data(), {kSize, kSize}, kSize * leat::kChannels};
    leat::detail::ImageLoader::of_this_thread().load(
        leat::fuzz::bytes_of(file.data(), file.size()), transforms,
        {.limits = limits, .exif_orientation = (data[0] & 2) != 0}, rng, out);
  });
}
