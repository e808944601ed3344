#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/image/labeled_image.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// Images of different sizes, in memory, with every kind of random transform.
class Images final : public Dataset {
 public:
  explicit Images(const TransformPipeline& transforms)
      : transforms_(transforms), delivered_(transforms), schema_(delivered_.schema()) {}

  std::size_t size() const override { return 40; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    const int more = static_cast<int>(index);
    const Image image =
        image_of({30 + more, 50 - more / 2}, [&](int x, int y, int c) { return formula(x, y, c) + more; });
    ImageLoader::of_this_thread().load(image.view(), transforms_, rng,
                                       delivered_.output(out.bytes(LabeledImage::kImage)));
    out.set(LabeledImage::kLabel, std::int64_t{more});
  }

 private:
  TransformPipeline transforms_;
  LabeledImage delivered_;
  Schema schema_;
};

TransformPipeline all_random() {
  return RandomResizedCrop{20} | RandomCrop(24, {.padding = 4}) | RandomHorizontalFlip{} |
         ColorJitter{0.4, 0.4, 0.4, 0.1} | RandAugment{} | RandomErasing{};
}

}  // namespace

LEAT_LOADER_TEST(random_pixels,
                 "13, 64: random transforms of pixels give the same bytes with any number of workers") {
  for (const TransformPipeline& transforms :
       {all_random(), all_random() | Normalize{{0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F}}}) {
    const Images images(transforms);
    DataLoader alone(images, {.batch_size = 7, .shuffle = true, .seed = 3});
    DataLoader loader(images, workers.with({.batch_size = 7, .shuffle = true, .seed = 3}));
    const std::vector<std::byte> first = delivered_bytes(loader, 0), second = delivered_bytes(loader, 1);
    CHECK(first == delivered_bytes(alone, 0));
    CHECK(second == delivered_bytes(alone, 1));
    CHECK(first != second);
  }
}

}  // namespace leat::test
