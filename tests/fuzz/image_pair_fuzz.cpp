// Two image files by one loader: the second one's pixels, or its error, are those that it has by itself. The first byte
// holds the options, the next two the length of the first file.
#include <cstdlib>
#include <string>
#include <vector>

#include "leat/datasets/image/image_loader.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr int kSize = 16;

struct Result {
  std::string error;
  std::vector<std::uint8_t> pixels;

  friend bool operator==(const Result&, const Result&) = default;
};

Result load(leat::detail::ImageLoader& loader, std::span<const std::byte> file, unsigned choice) {
  static const leat::TransformPipeline transforms =
      leat::RandomResizedCrop{kSize} | leat::RandomHorizontalFlip{};
  const leat::DecodeOptions options{.limits = {.max_pixels = 1 << 18,
                                               .max_decoder_bytes = std::size_t{16} << 20,
                                               .max_scans = 20,
                                               .allow_corrupt = (choice & 1) != 0},
                                    .exif_orientation = (choice & 2) != 0};
  Result result;
  result.pixels.resize(kSize * kSize * leat::kChannels);
  leat::Rng rng(choice, 0, 0);
  try {
    loader.load(
        file, transforms, options, rng,
        leat::detail::MutableImageView{result.pixels.data(), {kSize, kSize}, kSize * leat::kChannels});
  } catch (const leat::Error& error) {
    return {error.what(), {}};
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 3;
  if (size < kHead) return 0;
  const auto files = leat::fuzz::bytes_of(data + kHead, size - kHead);
  const std::size_t first = std::size_t{data[1]} << 8 | data[2];
  if (first > files.size()) return 0;
  leat::detail::ImageLoader fresh, used;
  const Result alone = load(fresh, files.subspan(first), data[0]);
  load(used, files.first(first), static_cast<unsigned>(data[0]) >> 2U);
  if (load(used, files.subspan(first), data[0]) != alone) std::abort();
  return 0;
}
