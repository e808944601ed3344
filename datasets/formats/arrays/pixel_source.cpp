#include "leat/datasets/formats/arrays/pixel_source.h"

#include <fmt/format.h>

#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

void PixelSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  if (choice.wants("image")) {
    const std::size_t bytes = images_.image_bytes();
    const auto encoding = Encoding::pixels_of(static_cast<std::size_t>(images_.size.height),
                                              static_cast<std::size_t>(images_.size.width),
                                              static_cast<std::size_t>(images_.channels));
    sample.add("image", encoding).view(std::span(images_.pixels).subspan(index * bytes, bytes));
  }
  if (choice.wants("label"))
    append_little(sample.add("label", Encoding::number_of(DType::i64)).memory(), images_.labels[index]);
}

std::string PixelSource::describe(std::size_t index) const {
  check_index(index);
  return fmt::format("{}, image {}", images_.origin, index);
}

}  // namespace leat::detail
