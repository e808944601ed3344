#include "leat/datasets/formats/labelled_pixels.h"

#include <fmt/format.h>

#include "leat/datasets/formats/byte_writer.h"
#include "leat/datasets/formats/stored_picture.h"

namespace leat {

InMemoryDataset to_dataset(LabelledPixels pictures) {
  Shape shape{static_cast<std::size_t>(pictures.size.height), static_cast<std::size_t>(pictures.size.width)};
  if (pictures.channels != 1) shape.push_back(static_cast<std::size_t>(pictures.channels));
  std::vector<InMemoryDataset::Column> columns;
  columns.push_back({{"image", DType::u8, std::move(shape)}, std::move(pictures.pixels)});
  columns.push_back(InMemoryDataset::column<std::int64_t>("label", {}, pictures.labels));
  return InMemoryDataset(std::move(columns));
}

void PixelSource::read(std::size_t index, const FieldChoice& choice, RawSample& sample) const {
  check_index(index);
  sample.clear();
  if (choice.wants("image")) {
    const std::size_t bytes = pictures_.picture_bytes();
    write_pil({pictures_.size, pictures_.channels, std::span(pictures_.pixels).subspan(index * bytes, bytes)},
              sample.add("image", "pil").bytes);
  }
  if (choice.wants("label")) append_little(sample.add("label", "int").bytes, pictures_.labels[index]);
}

std::string PixelSource::describe(std::size_t index) const {
  check_index(index);
  return fmt::format("{}, picture {}", pictures_.origin, index);
}

}  // namespace leat
