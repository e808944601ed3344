#include "tools/synthetic/synthetic.h"

#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/rng.h"
#include "tools/synthetic/painter.h"
#include "tools/synthetic/scenes.h"

namespace leat::tools {

using namespace detail;

const std::vector<std::string>& synthetic_class_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Scene& scene : synthetic_scenes()) all.emplace_back(scene.name);
    return all;
  }();
  return names;
}

Image synthetic_image(std::uint64_t seed, std::uint64_t index) {
  const Scene& scene = synthetic_scenes()[static_cast<std::size_t>(synthetic_label(index))];
  Painter painter(Rng(seed, 0, index));
  scene.paint(painter);
  return painter.finish(scene.grain);
}

std::vector<std::byte> synthetic_jpeg(std::uint64_t seed, std::uint64_t index) {
  Rng rng(seed, 1, index);
  const int quality = 85 + static_cast<int>(rng.below(6));
  const Image image = synthetic_image(seed, index);
  return encode_jpeg(image.view(), {.quality = quality});
}

}  // namespace leat::tools
