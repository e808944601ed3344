// What each transform makes of one picture and one generator, as a checksum: it stays between versions, so that a run
// can be repeated. Where one of these has to change, release notes have to say so.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "datasets/image/image_loader.h"
#include "datasets/records/xxh3.h"
#include "tests/datasets/image/formula_image.h"

namespace leat::test {

namespace {

// Of three samples, one after the other.
std::uint64_t checksum(const TransformPipeline& transforms) {
  const Image source =
      image_of({61, 47}, [](int x, int y, int c) { return (4 * x + 3 * y + 90 * c) ^ (x * y); });
  std::vector<std::byte> bytes;
  for (std::uint64_t index = 0; index < 3; ++index) {
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
      {"Resize", Resize{20}, 0x36e73df49386cddf},
      {"CenterCrop", CenterCrop{20}, 0x29ca15388b2313eb},
      {"RandomCrop", RandomCrop(40, {.padding = {6, 2}, .padding_mode = PaddingMode::reflect}),
       0x3fd582509268761c},
      {"RandomResizedCrop", RandomResizedCrop{20}, 0xe9b372316c019873},
      {"Pad", Pad{{1, 2, 3, 4}, {9, 8, 7}}, 0xa43f7b0da566af1c},
      {"RandomHorizontalFlip", RandomHorizontalFlip{}, 0x3db4930f313624f7},
      {"RandomVerticalFlip", RandomVerticalFlip{}, 0x3db4930f313624f7},
      {"ColorJitter", ColorJitter{0.4, 0.4, 0.4, 0.1}, 0xb26d2dc5e7053cba},
      {"Grayscale", Grayscale{}, 0x1fe443f8d2048c53},
      {"RandomGrayscale", RandomGrayscale{0.5}, 0x3db4930f313624f7},
      {"RandomInvert", RandomInvert{}, 0x3db4930f313624f7},
      {"RandomPosterize", RandomPosterize{3}, 0x3db4930f313624f7},
      {"RandomSolarize", RandomSolarize{100}, 0x3db4930f313624f7},
      {"RandomAutocontrast", RandomAutocontrast{}, 0x3db4930f313624f7},
      {"RandomEqualize", RandomEqualize{}, 0x3db4930f313624f7},
      {"RandomAdjustSharpness", RandomAdjustSharpness{2}, 0x3db4930f313624f7},
      {"RandAugment", RandAugment{4}, 0x87d3abd4043ec76f},
      {"RandomErasing", RandomErasing{1}, 0xc93c9a56a59ace20},
  };
  for (const auto& [name, transforms, expected] : table) {
    INFO(name);
    CHECK(checksum(transforms) == expected);
  }
}

}  // namespace leat::test
