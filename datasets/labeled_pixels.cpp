#include "leat/datasets/labeled_pixels.h"

#include <utility>

namespace leat {

InMemoryDataset to_dataset(LabeledPixels images) {
  Shape shape{static_cast<std::size_t>(images.size.height), static_cast<std::size_t>(images.size.width)};
  if (images.channels != 1) shape.push_back(static_cast<std::size_t>(images.channels));
  std::vector<InMemoryDataset::Column> columns;
  columns.push_back({{"image", DType::u8, std::move(shape)}, std::move(images.pixels)});
  columns.push_back(InMemoryDataset::column<std::int64_t>("label", {}, images.labels));
  return InMemoryDataset(std::move(columns));
}

}  // namespace leat
