// Prints a digest of what each of the image kernels makes of the same random bytes. All instruction sets make the same,
// so the lines of two machines can be compared. Needs no library, so that it can be built for a machine that is
// only emulated; see run.sh.
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "leat/datasets/image/pixels/kernels.h"
#include "leat/datasets/image/resample/coefficients.h"
#include "leat/datasets/image/resample/resample_kernels.h"
#include "tests/datasets/image/packed_pairs.h"

namespace {

using namespace leat;
using namespace leat::detail;

// https://en.wikipedia.org/wiki/Linear_congruential_generator (Numerical Recipes' numbers)
class Random {
 public:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8) % limit;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(below(256)); }
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> made(count);
    for (auto& each : made) each = byte();
    return made;
  }
  // From -1/2 to 3/2, shared among `taps` pixels.
  std::int32_t weight(std::size_t taps) {
    const auto unit = std::int32_t{1} << kWeightBits;
    return (static_cast<std::int32_t>(below(2 * unit)) - unit / 2) / static_cast<std::int32_t>(taps);
  }

 private:
  std::uint32_t state_ = 1;
};

// FNV-1a.
class Digest {
 public:
  void add(const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      hash_ = (hash_ ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211U;
    }
  }
  void add(const std::vector<std::uint8_t>& bytes) { add(bytes.data(), bytes.size()); }
  void print(const char* kernel) const { std::printf("%-22s %016" PRIx64 "\n", kernel, hash_); }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

void weigh_rows(Random& random) {
  constexpr std::size_t kColumns = 300;
  Digest digest;
  for (std::size_t taps = 1; taps <= 13; ++taps) {
    for (const std::size_t pixels : {16, 48, 224}) {
      const auto row = random.bytes(kColumns * 3 + kKernelPadding);
      std::vector<std::int32_t> offsets(pixels), weights(pixels * taps);
      const auto columns = static_cast<std::uint32_t>(kColumns - taps + 1);
      for (auto& offset : offsets) offset = static_cast<std::int32_t>(3 * random.below(columns));
      for (auto& weight : weights) weight = random.weight(taps);
      const auto packed = test::packed_pairs(weights, pixels, taps);
      std::vector<std::uint8_t> out(pixels * 3 + kKernelPadding);
      weigh_row(row.data(), {offsets.data(), packed.data(), taps, pixels}, out.data());
      digest.add(out.data(), pixels * 3);
    }
  }
  digest.print("weigh_row");
}

void blend_all_rows(Random& random) {
  Digest digest;
  for (std::size_t bytes = 1; bytes <= 150; ++bytes) {
    const std::size_t count = 1 + bytes % 7;
    std::vector<std::vector<std::uint8_t>> rows;
    std::vector<const std::uint8_t*> addresses;
    std::vector<std::int32_t> weights;
    for (std::size_t k = 0; k < count; ++k) {
      rows.push_back(random.bytes(bytes + kKernelPadding));
      weights.push_back(random.weight(count));
    }
    for (const auto& row : rows) addresses.push_back(row.data());
    std::vector<std::uint8_t> out(bytes);
    blend_rows(addresses.data(), weights.data(), count, out.data(), bytes);
    digest.add(out);
  }
  digest.print("blend_rows");
}

void scale_rows(Random& random) {
  const ChannelScale how{{1 / 58.395F, 1 / 57.12F, 1 / 57.375F}, {-2.117904F, -2.0357144F, -1.8044444F}};
  Digest digest;
  for (std::size_t pixels = 1; pixels <= 70; ++pixels) {
    const auto rgb = random.bytes(pixels * 3 + kKernelPadding);
    std::vector<std::vector<float>> planes(3, std::vector<float>(pixels));
    scale_row(rgb.data(), pixels, how, {planes[0].data(), planes[1].data(), planes[2].data()});
    for (const auto& plane : planes) digest.add(plane.data(), plane.size() * sizeof(float));
  }
  digest.print("scale_row");
}

// `kernel` changes the bytes that it is given.
template <class Kernel>
void change(const char* name, Random& random, const Kernel& kernel) {
  Digest digest;
  for (std::size_t pixels = 1; pixels <= 100; ++pixels) {
    auto rgb = random.bytes(pixels * 3);
    kernel(rgb, random.byte());
    digest.add(rgb);
  }
  digest.print(name);
}

void change_pixels(Random& random) {
  using Bytes = std::vector<std::uint8_t>;
  const auto factor = [](std::uint8_t random_byte) { return static_cast<float>(random_byte) / 100; };
  change("blend_with_constant", random, [&](Bytes& rgb, std::uint8_t any) {
    kernels::blend_with_constant(rgb.data(), rgb.size(), any, factor(any));
  });
  change("blend_with_gray", random, [&](Bytes& rgb, std::uint8_t any) {
    kernels::blend_with_gray(rgb.data(), rgb.size(), factor(any));
  });
  change("sharpen_row", random, [&](Bytes& rgb, std::uint8_t any) {
    if (rgb.size() < 27) return;
    const std::size_t third = rgb.size() / 9 * 3;
    Bytes out(third);
    kernels::sharpen_row({rgb.data(), rgb.data() + third, rgb.data() + 2 * third}, out.data(), third,
                         factor(any));
    rgb = out;
  });
  change("make_gray", random, [](Bytes& rgb, std::uint8_t) { kernels::make_gray(rgb.data(), rgb.size()); });
  change("sum_of_grays", random, [](Bytes& rgb, std::uint8_t) {
    const std::uint64_t sum = kernels::sum_of_grays(rgb.data(), rgb.size());
    for (std::size_t i = 0; i < 3; ++i) rgb[i] = static_cast<std::uint8_t>(sum >> (8 * i));
  });
  change("turn_hues", random,
         [](Bytes& rgb, std::uint8_t any) { kernels::turn_hues(rgb.data(), rgb.size(), any); });
  change("mask_bytes", random,
         [](Bytes& rgb, std::uint8_t any) { kernels::mask_bytes(rgb.data(), rgb.size(), any); });
  change("invert_bytes_from", random,
         [](Bytes& rgb, std::uint8_t any) { kernels::invert_bytes_from(rgb.data(), rgb.size(), any); });
}

}  // namespace

int main() {
  Random random;
  weigh_rows(random);
  blend_all_rows(random);
  scale_rows(random);
  change_pixels(random);
  return 0;
}
