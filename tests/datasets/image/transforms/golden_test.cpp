// What each transform makes of one image and one generator, as a checksum: it stays between versions, so that a run
// can be repeated. Where one of these has to change, release notes have to say so.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/io/xxh3.h"
#include "tests/datasets/image/formula_image.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// Of eight samples, one after the other.
std::uint64_t checksum(const TransformPipeline& transforms) {
  const Image source =
      image_of({61, 47}, [](int x, int y, int c) { return (4 * x + 3 * y + 90 * c) ^ (x * y); });
  std::vector<std::byte> bytes;
  for (std::uint64_t index = 0; index < 8; ++index) {
    Image out(*transforms.output_size(source.size()));
    Rng rng(11, 0, index);
    ImageLoader::of_this_thread().load(source.view(), transforms, rng, out.view());
    const auto* first = reinterpret_cast<const std::byte*>(out.view().data);
    bytes.insert(bytes.end(), first,
                 first + out.view().row_bytes() * static_cast<std::size_t>(out.size().height));
  }
  return xxh3(bytes);
}

struct Golden {
  std::string name;
  TransformPipeline transforms;
  std::uint64_t expected;
};

}  // namespace

TEST_CASE("the bytes that each transform makes of a sample do not change") {
  const std::vector<Golden> table{
      {"Resize", Resize{20}, 0x96ed0a20dd248af2},
      {"CenterCrop", CenterCrop{20}, 0x43206183441ac2e1},
      {"RandomCrop", RandomCrop(40, {.padding = {6, 2}, .padding_mode = PaddingMode::reflect}),
       0x389614b686ac3958},
      {"RandomResizedCrop", RandomResizedCrop{20}, 0x91066bd766498c10},
      {"RandomResizedCrop, reaching beyond the crop",
       RandomResizedCrop(20, {0.08, 1.0}, {3.0 / 4.0, 4.0 / 3.0}, Filter::bilinear, FilterReach::image),
       0xe511655dc3e67890},
      {"Pad", Pad{{1, 2, 3, 4}, {9, 8, 7}}, 0xb7c0e86485a865b8},
      {"RandomHorizontalFlip", RandomHorizontalFlip{}, 0x23ba5d8c0c918a84},
      {"RandomVerticalFlip", RandomVerticalFlip{}, 0x6ec3efe3193d2eda},
      {"ColorJitter", ColorJitter{0.4, 0.4, 0.4, 0.1}, 0x7906ada7093bec09},
      {"Grayscale", Grayscale{}, 0x00d0f909b8ce4a7f},
      {"RandomGrayscale", RandomGrayscale{0.5}, 0xb2330a5c77afec0b},
      {"RandomInvert", RandomInvert{}, 0x684535b0fe4ec487},
      {"RandomPosterize", RandomPosterize{3}, 0x7ad5e2eb5fda4823},
      {"RandomSolarize", RandomSolarize{100}, 0xeeb6c8fe97675c20},
      {"RandomAutocontrast", RandomAutocontrast{}, 0xf211157c59e5a620},
      {"RandomEqualize", RandomEqualize{}, 0x1517a41bdaf334c9},
      {"RandomAdjustSharpness", RandomAdjustSharpness{2}, 0x2b3e031e9bd74b1f},
      {"RandAugment", RandAugment{4}, 0xb9b903fe8e7e268e},
      {"RandomErasing", RandomErasing{1}, 0xa63a297bb6d97f7a},
  };
  for (const auto& [name, transforms, expected] : table) {
    INFO(name);
    CHECK(checksum(transforms) == expected);
  }
}

}  // namespace leat::test
