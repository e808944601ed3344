// A JPEG file through the pixel path; the first byte says whether warnings count, whether the image is turned
// upright, and seeds the crop.
#include <vector>

#include "leat/datasets/image/image_loader.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return leat::fuzz::accept_errors([&] {
    constexpr int kSize = 16;
    static const leat::TransformPipeline transforms =
        leat::RandomResizedCrop{kSize} | leat::RandomHorizontalFlip{};
    const leat::JpegLimits limits{.max_pixels = 1 << 20,
                                  .max_decoder_bytes = std::size_t{64} << 20,
                                  .max_scans = 20,
                                  .allow_corrupt = (data[0] & 1) != 0};
    std::vector<std::uint8_t> pixels(kSize * kSize * leat::kChannels);
    leat::Rng rng(data[0], 0, 0);
    const leat::detail::MutableImageView out{pixels.data(), {kSize, kSize}, kSize * leat::kChannels};
    leat::detail::ImageLoader::of_this_thread().load(
        leat::fuzz::bytes_of(data + 1, size - 1), transforms,
        {.limits = limits, .exif_orientation = (data[0] & 2) != 0}, rng, out);
  });
}
